// Extracts the explanation from a server's error response.

// The response's text, if it is one readable sentence; null otherwise.
export async function reason(response) {
  if (!/^text\/plain\b/i.test(response.headers.get("Content-Type") ?? "text/plain")) return null;
  const text = (await response.text()).trim();
  if (text === "" || text.length > 300 || /[<{]/.test(text)) return null;
  const sentence = text[0].toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
