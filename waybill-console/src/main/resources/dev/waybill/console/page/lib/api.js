// The page knows the server only through its REST API.

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

let csrf = '';

export async function get(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value)).toString();
  return answer(await fetch(`api/v1/${path}${query ? `?${query}` : ''}`, { headers: { Accept: 'application/json' } }));
}

export async function post(path, body = {}) {
  return answer(
    await fetch(`api/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Waybill-Csrf': csrf },
      body: JSON.stringify(body),
    }),
  );
}

export async function session() {
  const known = await get('session');
  csrf = known.csrf ?? '';
  return known;
}

async function answer(response) {
  let document;
  try {
    document = await response.json();
  } catch {
    document = {};
  }
  if (!response.ok) {
    throw new ApiError(response.status, document.error ?? 'failed', document.message ?? `The server answered ${response.status}.`);
  }
  return document;
}

/** A segment of a path. */
export const seg = encodeURIComponent;
