#if GTK
internal import ImageFormats
internal import ImagePyramid
internal import Raster
internal import ImageViews
internal import Tessera

/// The ways to decode an image that the information panel compares, each from the file's bytes to all tiles.
enum DecodingWay: String, CaseIterable, Sendable {
    /// The whole image into memory, then into tiles.
    case generic = "Whole picture"
    /// Row by row into the tiles.
    case oneShot = "Row by row"
    /// In pieces, as bytes arrive.
    case incremental = "As bytes come"

    /// The time to decode the file at `path`.
    func measure(_ path: String) async throws -> Duration {
        let bytes = try await withTaskExecutorPreference(ImageExecutor.shared) {
            try Source(path: path).bytes(limit: 1 << 30)
        }
        let start = ContinuousClock.now
        switch self {
        case .generic:
            try await withTaskExecutorPreference(ImageExecutor.shared) {
                let decoded = try ImageSource.decode(bytes, options: DecodingOptions(limits: .largePictures))
                try Self.fill(from: decoded.bitmap.makeRowSource(), .up)
            }
        case .oneShot:
            try await withTaskExecutorPreference(ImageExecutor.shared) {
                let options = DecodingOptions(appliesOrientation: false, limits: .largePictures)
                let rows = try ImageRowSource(Source(bytes), options: options)
                try Self.fill(from: rows, rows.header.metadata.orientation)
            }
        case .incremental:
            let options = ArrivingImage.Options(decoding: DecodingOptions(limits: .largePictures))
            try await ArrivingImage(Self.pieces(bytes), options: options).complete()
        }
        return .now - start
    }

    private static func pieces(_ bytes: [UInt8]) -> AsyncStream<[UInt8]> {
        let size = 64 << 10
        return AsyncStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: size) {
                continuation.yield(Array(bytes[start..<min(bytes.count, start + size)]))
            }
            continuation.finish()
        }
    }

    private static func fill(from rows: any RowSource, _ orientation: Orientation) throws(ImageError) {
        let hasAlpha = rows.info.alpha.hasAlpha
        let rows = try rows.converted(to: .rgba8, alpha: hasAlpha ? .premultiplied : .none)
        let store = try RawTileStore(
            size: orientation.applied(to: rows.info.size), orientation: orientation, hasAlpha: hasAlpha)
        try rows.copyRows(to: RawTileWriter(store, rows: rows.info))
    }
}
#endif
