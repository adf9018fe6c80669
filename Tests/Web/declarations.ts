// What a TypeScript program does with the module: compiled only, against tessera.d.ts.

import { Tessera, TesseraError, TesseraErrorCode, TesseraLevel, TesseraOverview, TesseraPicture } from "./tessera.js";

export async function show(canvas: HTMLCanvasElement): Promise<TesseraErrorCode | null> {
  const controller = new AbortController();
  let arrived = 0;
  try {
    const picture: TesseraPicture = await Tessera.open(new URL("photo.jpg", document.baseURI), {
      signal: controller.signal, index: null, storage: false,
      onOverview: ({ bitmap, done, total }: TesseraOverview) => {
        arrived = done / total;
        bitmap.close();
      },
      onProgress: ({ kind, done, total }) => {
        const whole: "whole" = kind;
        arrived = whole === "whole" ? done / total : arrived;
      },
    });
    const level: TesseraLevel = picture.levels[0];
    const kinds: "stored" | "window" | "enlarged" | "server" = level.source;
    const way: "server" | "index" | "stored" | "arriving" = picture.way;
    const tile: ImageBitmap = await picture.tile(0, level.columns - 1, level.rows - 1, { signal: controller.signal });
    const file: Blob = await picture.tileFile(0, 0, 0);
    const part: ImageBitmap = await picture.region({ x: 0, y: 0, width: 10, height: 10 }, { maxWidth: 5 });
    canvas.getContext("2d")?.drawImage(part, 0, 0);
    const { moduleBytes, picture: { requests } } = await picture.statistics();
    const numbers: number[] = [picture.size.width, picture.height, picture.tileSize, picture.byteCount, moduleBytes, requests, arrived];
    console.log(kinds, way, tile.width, file.size, numbers, picture.hasAlpha);
    picture.close();
    return null;
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
    const offset: number | null = error.offset;
    console.log(error.message, offset, error.status);
    return error.code;
  }
}

// What isn't declared is an error.
export async function mistakes(): Promise<void> {
  // @ts-expect-error: an option that there isn't
  const picture = await Tessera.open("photo.jpg", { quality: 1 });
  // @ts-expect-error: a tile has three numbers
  await picture.tile(0, 1);
  // @ts-expect-error: sizes are read only
  picture.width = 5;
}
