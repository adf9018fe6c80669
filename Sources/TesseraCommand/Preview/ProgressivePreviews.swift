internal import ImageFormats
internal import Tessera

/// A file's way through a decoder, piece by piece.
struct ProgressivePreviews {
    /// A picture on the way.
    struct Preview {
        let bitmap: Bitmap
        /// How many bytes had arrived.
        let byteCount: Int
        /// What it shows.
        let name: String
    }

    let bytes: [UInt8]
    let chunk: Int
    let bounds: PixelSize?
    let options: DecodingOptions

    /// Feeds the bytes and hands out each preview when it becomes possible.
    /// - Returns: Why the picture isn't whole; nil when it is.
    /// - Throws: What keeps even the header from being known, and what `show` throws.
    func play(_ show: (Preview) throws(ImageError) -> Void) throws(ImageError) -> ImageError? {
        let header = try ImageSource.header(of: bytes, options: options)
        return header.sequence?.kind == .animation ? try playFrames(show) : try playPicture(header, show)
    }

    private func playPicture(
        _ header: ImageHeader, _ show: (Preview) throws(ImageError) -> Void
    ) throws(ImageError) -> ImageError? {
        let target = bounds.map { header.size.fitted(within: $0) }
        let source = ImageSource(plan: DecodingPlan(targetSize: target), options: options)
        var shownRows = 0
        func look(at events: [DecodingEvent], byteCount: Int) throws(ImageError) {
            var name: String?
            for event in events {
                switch event {
                case .pass(let count): (name, shownRows) = ("pass \(count)", 0)
                case .complete: name = "all"
                case .rows(let count)
                where !header.isProgressive && count >= shownRows + max(1, header.size.height / 8):
                    (name, shownRows) = ("\(count) rows of \(header.storedSize.height)", count)
                default: break
                }
            }
            guard let name, let bitmap = try source.currentBitmap() else { return }
            try show(Preview(bitmap: bitmap.resampled(to: target ?? bitmap.size), byteCount: byteCount, name: name))
        }
        return try feed(
            { (piece) throws(ImageError) in if let piece { try source.append(piece) } else { try source.finish() } },
            look)
    }

    private func playFrames(_ show: (Preview) throws(ImageError) -> Void) throws(ImageError) -> ImageError? {
        let source = AnimatedImageSource(options: options)
        func look(at events: [DecodingEvent], byteCount: Int) throws(ImageError) {
            for case .frame(let index) in events {
                let target = source.size.flatMap { size in bounds.map { size.fitted(within: $0) } }
                let bitmap = try source.frame(at: index, targetSize: target)
                try show(Preview(bitmap: bitmap, byteCount: byteCount, name: "frame \(index)"))
            }
        }
        return try feed(
            { (piece) throws(ImageError) in if let piece { try source.append(piece) } else { try source.finish() } },
            look)
    }

    /// - Parameter take: Is given piece after piece, and nil behind the last.
    private func feed(
        _ take: ([UInt8]?) throws(ImageError) -> [DecodingEvent],
        _ look: ([DecodingEvent], Int) throws(ImageError) -> Void
    ) throws(ImageError) -> ImageError? {
        var rest = bytes[...]
        while true {
            let piece = rest.isEmpty ? nil : Array(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
            let events: [DecodingEvent]
            do throws(ImageError) {
                events = try take(piece)
            } catch {
                return error
            }
            try look(events, bytes.count - rest.count)
            if piece == nil { return nil }
        }
    }
}
