/** Deep zoom into a JPEG of any static server. */

export type TesseraErrorCode =
  | "unreachable"
  | "status"
  | "changed"
  | "unsupported"
  | "invalidIndex"
  | "damaged"
  | "tooLarge"
  | "module"
  | "aborted";

export declare class TesseraError extends Error {
  readonly code: TesseraErrorCode;
  /** The byte of the file at which it is damaged, where that is known. */
  readonly offset: number | null;
  /** The server's status, for "status". */
  readonly status: number;
}

export interface TesseraOptions {
  signal?: AbortSignal;
  /** The index's address: by default the picture's with ".tessera"; null for none. */
  index?: string | URL | null;
  /** Whether an index that was made here is kept in the browser; true by default. */
  storage?: boolean;
  /** Gets what has arrived of a picture without an index. The bitmap belongs to the function, which closes it. */
  onOverview?: (overview: TesseraOverview) => void;
  /** Follows the loading of a whole picture from a server that doesn't send parts. */
  onProgress?: (progress: { kind: "whole"; done: number; total: number }) => void;
}

export interface TesseraOverview {
  bitmap: ImageBitmap;
  /** The picture's size in pixels; the bitmap's is an eighth of it, or less. */
  width: number;
  height: number;
  /** Bytes that have arrived, and all; NaN if the server doesn't say. */
  done: number;
  total: number;
}

export interface TesseraLevel {
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
  /** How tiles are made: from the index, from full-resolution data, enlarged from a stored level, or by `tessera serve`. */
  readonly source: "stored" | "window" | "enlarged" | "server";
}

export interface TesseraStatistics {
  index: { requests: number; bytes: number };
  picture: { requests: number; bytes: number };
  /** Bytes of the WebAssembly module's memory. */
  moduleBytes: number;
  /** The same for the instance that made the index of an arriving picture. */
  indexingBytes: number;
  answersRanges: boolean;
}

export interface TesseraPicture {
  readonly size: { readonly width: number; readonly height: number };
  readonly width: number;
  readonly height: number;
  /** Pixels on a tile's side. */
  readonly tileSize: number;
  /** Level 0 is the picture, each further one half of it, rounded up. */
  readonly levels: readonly TesseraLevel[];
  /** Whether it is a JPNG: tiles and regions then have its transparency. */
  readonly hasAlpha: boolean;
  /** The file's length; NaN of a picture of `tessera serve`. */
  readonly byteCount: number;
  /** "server" for a picture of `tessera serve`; else where the index came from: beside the picture, an earlier visit, or the
   * picture as it arrived. */
  readonly way: "server" | "index" | "stored" | "arriving";
  /** A tile's pixels, at level 0 equal to those of the browser's decoder for the whole picture. */
  tile(level: number, column: number, row: number, options?: { signal?: AbortSignal }): Promise<ImageBitmap>;
  /** A tile as a JPEG: at level 0 the picture's own bits, if it is stored upright. */
  tileFile(level: number, column: number, row: number, options?: { signal?: AbortSignal }): Promise<Blob>;
  /** A part of the picture, in its pixels, scaled down to at most the given size. */
  region(
    region: { x: number; y: number; width: number; height: number },
    options?: { maxWidth?: number; maxHeight?: number; signal?: AbortSignal },
  ): Promise<ImageBitmap>;
  statistics(): Promise<TesseraStatistics>;
  close(): void;
}

export declare const Tessera: {
  readonly open: (url: string | URL, options?: TesseraOptions) => Promise<TesseraPicture>;
};
