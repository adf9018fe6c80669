// Indexes that were made in this browser, kept for the next visit: IndexedDB, which pages without https have too. The ones
// used longest ago go when there are many. Without storage, as in private windows, everything works, and nothing is kept.

const largestTotal = 256 << 20;

let opening = null;

function database() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("tessera", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("indexes", { keyPath: "url" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
  return opening;
}

const result = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

const store = async (mode) => (await database()).transaction("indexes", mode).objectStore("indexes");

// {url, blob, version, length}, or undefined.
export async function find(url) {
  try {
    const found = await result((await store("readonly")).get(url));
    if (found) result((await store("readwrite")).put({ ...found, used: Date.now() })).catch(() => {});
    return found;
  } catch {
    return undefined;
  }
}

export async function keep(entry) {
  try {
    await result((await store("readwrite")).put({ ...entry, used: Date.now() }));
    const all = await result((await store("readonly")).getAll());
    let total = 0;
    for (const { url, blob } of all.sort((a, b) => b.used - a.used)) {
      total += blob.size;
      if (total > largestTotal) await forget(url);
    }
  } catch {
    // The next visit makes it again.
  }
}

export async function forget(url) {
  try {
    await result((await store("readwrite")).delete(url));
  } catch {
    // It wasn't kept.
  }
}
