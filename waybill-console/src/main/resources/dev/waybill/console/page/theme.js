// Before anything is painted, so that nobody sees the wrong colours for a moment.
(() => {
  const chosen = localStorage.getItem('waybill-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();
