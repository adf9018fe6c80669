internal import ImageFormats
internal import Tessera

/// Feeds a file to a decoder piece by piece and collects previews.
struct ProgressivePreviews {
    /// The image after some of the bytes.
    struct Preview {
        let bitmap: Bitmap
        /// The number of bytes that had arrived.
        let byteCount: Int
        /// A label: the scan, pass, rows or frame shown.
        let name: String
    }

    let bytes: [UInt8]
    let chunk: Int
    let bounds: SizeArgument?
    let options: DecodingOptions

    /// Feeds the bytes and passes each preview to `show` as soon as it is possible.
    /// - Returns: The error that ended the image early; nil if it is complete.
    /// - Throws: An error if even the header can't be read, and errors of `show`.
    func play(_ show: (Preview) throws(ImageError) -> Void) throws(ImageError) -> ImageError? {
        let header = try ImageSource.header(of: bytes, options: options)
        return header.sequence?.kind == .animation ? try playFrames(show) : try playPicture(header, show)
    }

    private func playPicture(
        _ header: ImageHeader, _ show: (Preview) throws(ImageError) -> Void
    ) throws(ImageError) -> ImageError? {
        let target = bounds.map { header.size.fitted(within: $0.bounds(for: header.size)) }
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
                let target = source.size.flatMap { size in bounds.map { size.fitted(within: $0.bounds(for: size)) } }
                let bitmap = try source.frame(at: index, targetSize: target)
                try show(Preview(bitmap: bitmap, byteCount: byteCount, name: "frame \(index)"))
            }
        }
        return try feed(
            { (piece) throws(ImageError) in if let piece { try source.append(piece) } else { try source.finish() } },
            look)
    }

    /// - Parameter take: Called with each piece, and with nil after the last.
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
