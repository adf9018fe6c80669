internal import Raster

/// Writes a PNG file again with other image data.
struct PNGRewriting {
    let list: PNGChunkList
    let form: PNGStoredForm
    /// Whether chunks that depend on colour type and bit depth still apply.
    let keepsFormChunks: Bool
    let keeping: MetadataPolicy

    /// Chunks about the colour space, which affect how pixels are displayed.
    private static let colorTypes: Set<PNGChunkType> = [
        .profile, .standardRGB, .gamma, .chromaticities, .codingPoints, .masteringDisplay, .contentLightLevel,
    ]
    /// Chunks in units of the stored samples.
    private static let formTypes: Set<PNGChunkType> = [
        PNGChunkType("sBIT"), PNGChunkType("bKGD"), PNGChunkType("hIST"),
    ]
    /// Chunks without any relation to the image data, although their names don't say so (ISO/IEC 15948, 14.2).
    private static let independentTypes: Set<PNGChunkType> = [PNGChunkType("tIME"), PNGChunkType("sPLT")]

    /// Writes the file with `stream` as its image data.
    func write(_ stream: [UInt8], orientation: Orientation, to sink: any ByteSink) throws(ImageError) {
        let writer = PNGChunkWriter(sink)
        try writer.writeSignature()
        try writer.writeHeader(form.header)
        let dataStart = list.chunks.firstIndex { $0.type == .imageData } ?? list.chunks.count
        let before = list.chunks[..<dataStart].filter { keeps($0.type) }
        // A palette follows the colour space and precedes what refers to it.
        for chunk in before where !Self.formTypes.contains(chunk.type) || chunk.type == PNGChunkType("sBIT") {
            try writer.write(chunk.type, list.data(chunk))
        }
        if keeping != .all, orientation != .up {
            try writer.write(.exif, EXIF.smallest(orientation))
        }
        if let palette = form.palette { try writer.write(palette) }
        for chunk in before where Self.formTypes.contains(chunk.type) && chunk.type != PNGChunkType("sBIT") {
            try writer.write(chunk.type, list.data(chunk))
        }
        try writer.write(.imageData, stream)
        for chunk in list.chunks[dataStart...] where keeps(chunk.type) {
            try writer.write(chunk.type, list.data(chunk))
        }
        try writer.write(.end, [])
        if keeping == .all { try sink.write(Array(list.file[list.trailing])) }
    }

    private func keeps(_ type: PNGChunkType) -> Bool {
        type != .transparency && Self.keeps(type, keeping: keeping, keepsFormChunks: keepsFormChunks)
    }

    /// Whether a chunk that isn't image data stays when the image data changes.
    static func keeps(_ type: PNGChunkType, keeping: MetadataPolicy, keepsFormChunks: Bool) -> Bool {
        guard type.isAncillary else { return false }
        if colorTypes.contains(type) { return keeping != .none }
        guard keeping == .all else { return false }
        if formTypes.contains(type) { return keepsFormChunks }
        // The last letter is small for chunks that may be copied with other image data.
        return type.code & 0x20 != 0 || independentTypes.contains(type)
    }
}
