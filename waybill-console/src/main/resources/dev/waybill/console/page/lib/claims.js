// Dead letters that somebody took up in this tab, with the token that ends the claim. Kept as long as the tab.

const KEY = 'waybill-claims';

function all() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]').filter((claim) => Date.parse(claim.deadline) > Date.now());
  } catch {
    return [];
  }
}

export function hold(claim) {
  const kept = { token: claim.token, deadline: claim.deadline, ids: claim.deadLetters.map((letter) => letter.id) };
  sessionStorage.setItem(KEY, JSON.stringify([...all(), kept]));
}

/** The token of the claim that this tab has on a dead letter. */
export const tokenOf = (letter) => (letter.status === 'REPROCESSING' ? all().find((claim) => claim.ids.includes(letter.id))?.token : undefined);

/** The ids by the token of their claim. */
export function byToken(letters) {
  const groups = new Map();
  for (const letter of letters) {
    const token = tokenOf(letter);
    if (token) groups.set(token, [...(groups.get(token) ?? []), letter.id]);
  }
  return groups;
}
