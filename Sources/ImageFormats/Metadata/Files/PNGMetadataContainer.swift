internal import Raster

/// A PNG's metadata, in eXIf and iTXt chunks.
struct PNGMetadataContainer: MetadataContainer {
    private let list: PNGChunkList
    private let exifIndex: Int?
    private let xmpIndex: Int?
    let blocks: MetadataBlocks

    init(_ file: [UInt8], limits: DecodingLimits) throws(ImageError) {
        let list = try PNGChunkList(file)
        guard let first = list.chunks.first, first.type == .header else {
            throw ImageError(.corrupt, "the PNG file doesn't begin with IHDR", byteOffset: 8)
        }
        let header = try PNGHeader(list.data(first), offset: first.data.lowerBound)
        exifIndex = list.chunks.firstIndex { $0.type == .exif }
        xmpIndex = list.chunks.firstIndex {
            $0.type == .internationalText && list.file[$0.data].starts(with: Array("XML:com.adobe.xmp".utf8) + [0])
        }
        var ancillary = PNGAncillaryData()
        for index in [exifIndex, xmpIndex].compactMap({ $0 }) {
            let chunk = list.chunks[index]
            try ancillary.read(
                chunk.type, list.data(chunk), header: header, limits: limits, offset: chunk.data.lowerBound)
        }
        blocks = MetadataBlocks(exif: ancillary.exif, xmp: ancillary.xmp)
        self.list = list
    }

    func assembled(with new: MetadataBlocks) throws(ImageError) -> [UInt8] {
        guard new.iptc == nil else {
            throw ImageError(.unsupported, "PNG has no place for IPTC; XMP has tags for the same")
        }
        let output = ByteBuffer()
        let writer = PNGChunkWriter(output)
        try writer.writeSignature()
        for (index, chunk) in list.chunks.enumerated() {
            if index == exifIndex, new.exif != blocks.exif { continue }
            if index == xmpIndex, new.xmp != blocks.xmp { continue }
            try writer.write(chunk.type, list.data(chunk))
            guard index == 0 else { continue }
            if let exif = new.exif, exif != blocks.exif { try writer.write(.exif, exif) }
            if let xmp = new.xmp, xmp != blocks.xmp { try writer.writeXMP(xmp) }
        }
        return output.bytes + list.file[list.trailing]
    }
}
