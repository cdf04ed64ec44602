// Writes the settings of the page into the fragment of its address, which browsers do not send to the server.

async function transform(bytes, stream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

export async function encodeSettings(settings) {
  const bytes = new TextEncoder().encode(JSON.stringify(settings));
  const packed = await transform(bytes, new CompressionStream("deflate-raw"));
  let binary = "";
  for (let start = 0; start < packed.length; start += 0x8000) {
    binary += String.fromCharCode(...packed.subarray(start, start + 0x8000));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const MAX_SETTINGS = 8_000_000; // of characters: a small fragment must not unpack to a text without end

// Returns the settings of a fragment, or null if it is damaged.
export async function decodeSettings(fragment) {
  try {
    const binary = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      if (text.length > MAX_SETTINGS) return null;
    }
    const settings = JSON.parse(text + decoder.decode());
    return typeof settings === "object" && settings !== null && !Array.isArray(settings) ? settings : null;
  } catch {
    return null;
  }
}
