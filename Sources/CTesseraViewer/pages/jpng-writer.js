// Encodes a JPNG in the browser: a JPEG by the browser's encoder, a grey PNG as the mask, and the trailer.

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = crcTable[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

function chunk(name, content) {
  const bytes = new Uint8Array(content.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  bytes.set([...name].map((letter) => letter.charCodeAt(0)), 4);
  bytes.set(content, 8);
  view.setUint32(content.length + 8, crc(bytes.subarray(4, content.length + 8)));
  return bytes;
}

// Chooses each row's filter by the least sum of absolute differences: None, Sub or Up.
function filtered(grey, width, height) {
  const rows = new Uint8Array((width + 1) * height);
  const tries = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)];
  for (let y = 0; y < height; y += 1) {
    const sums = [0, 0, 0];
    for (let x = 0; x < width; x += 1) {
      const value = grey[y * width + x];
      tries[0][x] = value;
      tries[1][x] = value - (x > 0 ? grey[y * width + x - 1] : 0);
      tries[2][x] = value - (y > 0 ? grey[(y - 1) * width + x] : 0);
      for (let filter = 0; filter < 3; filter += 1) sums[filter] += Math.min(tries[filter][x], 256 - tries[filter][x]);
    }
    const best = sums.indexOf(Math.min(...sums));
    rows[y * (width + 1)] = best;
    rows.set(tries[best], y * (width + 1) + 1);
  }
  return rows;
}

// The JPEG with the segment by which desktops tell JPNG from JPEG, directly after JFIF's: APP10 with "JPNG" and a zero.
async function tagged(photo) {
  const bytes = new Uint8Array(await photo.arrayBuffer());
  const isJFIF = bytes[2] === 0xff && bytes[3] === 0xe0 && String.fromCharCode(...bytes.subarray(6, 11)) === "JFIF\0";
  const place = isJFIF ? 4 + bytes[4] * 256 + bytes[5] : 2;
  const tag = new Uint8Array([0xff, 0xea, 0, 7, 0x4a, 0x50, 0x4e, 0x47, 0]);
  return new Blob([bytes.subarray(0, place), tag, bytes.subarray(place)]);
}

async function greyPNG(grey, width, height) {
  const rows = new Blob([filtered(grey, width, height)]).stream();
  const packed = new Response(rows.pipeThrough(new CompressionStream("deflate")));
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 8;
  const content = new Uint8Array(await packed.arrayBuffer());
  const signature = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const end = new Uint8Array();
  return new Blob([signature, chunk("IHDR", header), chunk("IDAT", content), chunk("IEND", end)]);
}

// Encodes anything that can be drawn. Transparent pixels take the colour of their neighbours, from successively smaller
// copies laid under the picture, which keeps edges clean and the JPEG small.
export async function makeJPNG(drawable, width, height, quality = 0.8) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(drawable, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const grey = new Uint8Array(width * height);
  for (let index = 0; index < grey.length; index += 1) grey[index] = data[index * 4 + 3];
  context.globalCompositeOperation = "destination-over";
  context.imageSmoothingQuality = "high";
  for (let factor = 4; Math.min(width, height) / factor >= 1; factor *= 2) {
    const small = new OffscreenCanvas(
      Math.max(1, Math.round(width / factor)), Math.max(1, Math.round(height / factor)),
    );
    const paint = small.getContext("2d");
    paint.imageSmoothingQuality = "high";
    paint.drawImage(drawable, 0, 0, small.width, small.height);
    context.drawImage(small, 0, 0, width, height);
  }
  context.fillStyle = "#808080";
  context.fillRect(0, 0, width, height);
  const photo = await tagged(await canvas.convertToBlob({ type: "image/jpeg", quality }));
  const mask = await greyPNG(grey, width, height);
  const trailer = new DataView(new ArrayBuffer(16));
  trailer.setUint32(0, photo.size, true);
  trailer.setUint32(4, mask.size, true);
  trailer.setUint16(8, 16, true);
  trailer.setUint8(10, 1);
  trailer.setUint32(12, 0x4a504e47, true);
  return new Blob([photo, mask, trailer], { type: "image/x-jpng" });
}
