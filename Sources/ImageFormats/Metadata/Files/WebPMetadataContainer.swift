#if WebP
internal import Raster

/// A WebP file's metadata, in EXIF and XMP chunks (RFC 9649, section 2.7).
struct WebPMetadataContainer: MetadataContainer {
    private let file: [UInt8]
    /// The chunks, with their headers and padding, and their four-letter codes.
    private var chunks: [(code: String, range: Range<Int>)] = []
    private let end: Int
    private(set) var blocks = MetadataBlocks()

    init(_ file: [UInt8]) throws(ImageError) {
        self.file = file
        guard file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8),
            let length = file.littleEndian(at: 4, byteCount: 4)
        else { throw ImageError(.corrupt, "not a WebP file", byteOffset: 0) }
        guard length + 8 <= file.count else {
            throw ImageError(
                .truncated, "the WebP file ends at byte \(file.count), expected \(length + 8)", byteOffset: file.count)
        }
        end = length + 8
        var position = 12
        while position + 8 <= end {
            let contents = file.littleEndian(at: position + 4, byteCount: 4) ?? 0
            // The last chunk's padding is missing in some files.
            guard contents <= end - position - 8 else {
                throw ImageError(.corrupt, "a chunk of the WebP file ends beyond it", byteOffset: position)
            }
            let next = min(end, position + 8 + (contents + 1) / 2 * 2)
            let code = String(decoding: file[position..<(position + 4)], as: UTF8.self)
            chunks.append((code, position..<next))
            let data = Array(file[(position + 8)..<(position + 8 + contents)])
            if code == WebPChunkType.exif.rawValue { blocks.exif = blocks.exif ?? EXIF.withoutPrefix(data) }
            if code == WebPChunkType.xmp.rawValue { blocks.xmp = blocks.xmp ?? data }
            position = next
        }
    }

    func assembled(with new: MetadataBlocks) throws(ImageError) -> [UInt8] {
        guard new.iptc == nil else {
            throw ImageError(.unsupported, "WebP has no place for IPTC; XMP has tags for the same")
        }
        guard new != blocks else { return file }
        var header = try extendedHeader()
        header.features.remove([.exif, .xmp])
        if new.exif != nil { header.features.insert(.exif) }
        if new.xmp != nil { header.features.insert(.xmp) }
        let metadata: Set = [WebPChunkType.extended.rawValue, WebPChunkType.exif.rawValue, WebPChunkType.xmp.rawValue]
        var result = WebPContainerWriter.chunk(.extended, header.encoded)
        for chunk in chunks where !metadata.contains(chunk.code) {
            result += file[chunk.range]
            if chunk.range.count % 2 == 1 { result.append(0) }
        }
        if let exif = new.exif { result += WebPContainerWriter.chunk(.exif, exif) }
        if let xmp = new.xmp { result += WebPContainerWriter.chunk(.xmp, xmp) }
        guard result.count + 4 <= Int(UInt32.max) - 10 else {
            throw ImageError(.unsupported, "a WebP file can't be larger than 4 GB")
        }
        return Array("RIFF".utf8) + (result.count + 4).littleEndianBytes(4) + Array("WEBP".utf8) + result + file[end...]
    }

    /// The header of an extended file, made from the image's if the file is a simple one.
    private func extendedHeader() throws(ImageError) -> WebPExtendedHeader {
        for (code, range) in chunks {
            let contents = Array(file[range].dropFirst(8))
            switch WebPChunkType(rawValue: code) {
            case .extended where contents.count >= WebPExtendedHeader.byteCount: return WebPExtendedHeader(contents)
            case .lossy where contents.count >= 10, .lossless where contents.count >= 10:
                let type = WebPChunkType(rawValue: code) ?? .lossy
                guard let picture = WebPPictureHeader(type, contents) else { break }
                return WebPExtendedHeader(features: picture.hasAlpha ? .alpha : [], canvas: picture.size)
            default: break
            }
        }
        throw ImageError(.corrupt, "the WebP file has no image", byteOffset: 12)
    }
}
#endif
