#if WebP
internal import Raster

/// A WebP file's metadata, in EXIF and XMP chunks (RFC 9649, section 2.7).
struct WebPMetadataContainer: MetadataContainer {
    private let list: WebPChunkList
    private(set) var blocks = MetadataBlocks()

    init(_ file: [UInt8]) throws(ImageError) {
        list = try WebPChunkList(file)
        for chunk in list.chunks {
            if chunk.type == .exif { blocks.exif = blocks.exif ?? EXIF.withoutPrefix(list.data(chunk)) }
            if chunk.type == .xmp { blocks.xmp = blocks.xmp ?? list.data(chunk) }
        }
    }

    func assembled(with new: MetadataBlocks) throws(ImageError) -> [UInt8] {
        guard new.iptc == nil else {
            throw ImageError(.unsupported, "WebP has no place for IPTC; XMP has tags for the same")
        }
        guard new != blocks else { return list.file }
        var header = try extendedHeader()
        header.features.remove([.exif, .xmp])
        if new.exif != nil { header.features.insert(.exif) }
        if new.xmp != nil { header.features.insert(.xmp) }
        let metadata: Set<WebPChunkType> = [.extended, .exif, .xmp]
        var result = WebPContainerWriter.chunk(.extended, header.encoded)
        for chunk in list.chunks where !(chunk.type.map(metadata.contains) ?? false) { result += list.stored(chunk) }
        if let exif = new.exif { result += WebPContainerWriter.chunk(.exif, exif) }
        if let xmp = new.xmp { result += WebPContainerWriter.chunk(.xmp, xmp) }
        guard result.count + 4 <= Int(UInt32.max) - 10 else {
            throw ImageError(.unsupported, "a WebP file can't be larger than 4 GB")
        }
        let head = Array("RIFF".utf8) + (result.count + 4).littleEndianBytes(4) + Array("WEBP".utf8)
        return head + result + list.file[list.end...]
    }

    /// The header of an extended file, made from the image's if the file is a simple one.
    private func extendedHeader() throws(ImageError) -> WebPExtendedHeader {
        for chunk in list.chunks {
            let contents = list.data(chunk)
            switch chunk.type {
            case .extended where contents.count >= WebPExtendedHeader.byteCount: return WebPExtendedHeader(contents)
            case .lossy where contents.count >= 10, .lossless where contents.count >= 10:
                guard let picture = WebPPictureHeader(chunk.type ?? .lossy, contents) else { break }
                return WebPExtendedHeader(features: picture.hasAlpha ? .alpha : [], canvas: picture.size)
            default: break
            }
        }
        throw ImageError(.corrupt, "the WebP file has no image", byteOffset: 12)
    }
}
#endif
