// Why a server doesn't give what it was asked for, in its own words.

// The sentence that a response has for a text; null where it has none, or one that isn't for people.
export async function reason(response) {
  if (!/^text\/plain\b/i.test(response.headers.get("Content-Type") ?? "text/plain")) return null;
  const text = (await response.text()).trim();
  if (text === "" || text.length > 300 || /[<{]/.test(text)) return null;
  const sentence = text[0].toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
