#if TIFF
internal import CTesseraTIFF
internal import Dispatch
internal import Platform
internal import Raster

/// A TIFF file that libtiff builds in memory; it is written to the output at the end.
final class TIFFFileWriter {
    /// Whether the file is a BigTIFF.
    let isBig: Bool
    private let output: any ByteSink
    /// The shim's encoder, owned by this object; nothing else has the pointer.
    private let handle: OpaquePointer

    /// Creates a file for `count` images like `info`: a BigTIFF if 4 GB might not be enough.
    init(for info: BitmapInfo, count: Int, output: any ByteSink) throws(ImageError) {
        let (pixels, tooMany) = info.size.pixelCount.multipliedReportingOverflow(by: info.format.bytesPerPixel)
        let (bytes, overflows) = pixels.multipliedReportingOverflow(by: count)
        // LZW enlarges noise by half.
        isBig = tooMany || overflows || bytes > 0xFFFF_FFFF / 3 * 2
        guard let handle = tessera_tiff_encoder_create(isBig) else {
            throw ImageError(.outOfMemory, "no memory for a TIFF encoder")
        }
        self.handle = handle
        self.output = output
    }

    deinit { tessera_tiff_encoder_destroy(handle) }

    func beginPage(_ page: tessera_tiff_page) throws(ImageError) {
        var page = page
        try check(tessera_tiff_encoder_begin_page(handle, &page))
    }

    func endPage() throws(ImageError) { try check(tessera_tiff_encoder_end_page(handle)) }

    func set(_ tag: Int, _ bytes: [UInt8]) throws(ImageError) {
        try check(tessera_tiff_encoder_set_bytes(handle, UInt32(tag), bytes, UInt32(clamping: bytes.count)))
    }

    /// Compresses a strip or tile; may change `bytes`.
    func writeChunk(_ index: Int, _ bytes: inout [UInt8], count: Int) throws(ImageError) {
        precondition(count <= bytes.count)
        try check(tessera_tiff_encoder_write_chunk(handle, UInt32(clamping: index), &bytes, count))
    }

    /// Compresses strips or tiles of a page on all processors, and writes them.
    func writeChunks(_ chunks: [TIFFChunk], of page: tessera_tiff_page) throws(ImageError) {
        let results = PackedChunks(chunks, page)
        if chunks.count > 1 {
            DispatchQueue.concurrentPerform(iterations: chunks.count) { results.pack($0) }
        } else {
            for index in chunks.indices { results.pack(index) }
        }
        for (index, chunk) in chunks.enumerated() {
            guard let (bytes, count) = results[index] else {
                throw ImageError(.outOfMemory, "strip or tile \(chunk.index) of the TIFF file can't be compressed")
            }
            try check(tessera_tiff_encoder_write_packed(handle, UInt32(clamping: chunk.index), bytes, count))
        }
    }

    /// Writes the fields of an EXIF block: text into the page's directory, the rest into separate directories. The page
    /// itself sets orientation and resolution.
    func writeEXIF(_ block: [UInt8]) throws(ImageError) {
        guard let structure = TIFFStructure(TIFFBytes(block)),
            let directory = structure.directory(at: structure.firstDirectory)
        else { return }
        for tag in TIFFTag.texts {
            guard let field = directory[tag], field.type == 2 else { continue }
            let text = structure.bytes(of: field).prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
            if !text.isEmpty { try check(tessera_tiff_encoder_set_text(handle, UInt32(tag), text + [0])) }
        }
        for tag in [TIFFTag.exifDirectory, TIFFTag.gpsDirectory] {
            var copy = TIFFDirectoryCopy(
                start: Int(clamping: tessera_tiff_encoder_position(handle)), isLittleEndian: 1.littleEndian == 1,
                isBig: isBig, limit: 4 * block.count + 65536)
            guard let child = copy.addChild(tag, of: directory, in: structure) else { continue }
            try check(tessera_tiff_encoder_append(handle, copy.bytes, copy.bytes.count))
            try check(tessera_tiff_encoder_set_directory(handle, UInt32(tag), UInt64(clamping: child.offset)))
        }
    }

    /// Completes the file and writes it to the output.
    func finish() throws(ImageError) {
        try check(tessera_tiff_encoder_finish(handle))
        var count = 0
        guard let bytes = tessera_tiff_encoder_output(handle, &count) else { return }
        // The bytes live as long as the handle.
        try output.write(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    }

    private func check(_ status: Int32) throws(ImageError) {
        guard status != TESSERA_OK else { return }
        // The message lives as long as the handle; it is copied here.
        let message = String(cString: tessera_tiff_encoder_message(handle))
        throw ImageError(
            message.contains("memory") ? .outOfMemory : .unsupported, "the TIFF file can't be written: \(message)")
    }
}

/// A strip or tile before compression.
struct TIFFChunk {
    let index: Int
    let rowCount: Int
    var bytes: [UInt8]
}

/// Strips or tiles that several threads compress.
///
/// Unchecked: each index is packed by one thread, and read after all have ended.
private final class PackedChunks: @unchecked Sendable {
    private var page: tessera_tiff_page
    private let chunks: [TIFFChunk]
    private let packed: UnsafeMutableBufferPointer<(UnsafeMutablePointer<UInt8>?, Int)>

    init(_ chunks: [TIFFChunk], _ page: tessera_tiff_page) {
        self.chunks = chunks
        self.page = page
        packed = .allocate(capacity: chunks.count)
        packed.initialize(repeating: (nil, 0))
    }

    deinit {
        for (bytes, _) in packed { free(bytes) }
        packed.deallocate()
    }

    func pack(_ index: Int) {
        var page = page
        // libtiff makes differences in place.
        var chunk = chunks[index]
        let count = chunk.bytes.count
        _ = tessera_tiff_pack(
            &page, UInt32(chunk.rowCount), &chunk.bytes, count, &packed[index].0, &packed[index].1)
    }

    /// The compressed bytes; nil if that failed.
    subscript(index: Int) -> (UnsafeMutablePointer<UInt8>, Int)? {
        packed[index].0.map { ($0, packed[index].1) }
    }
}
#endif
