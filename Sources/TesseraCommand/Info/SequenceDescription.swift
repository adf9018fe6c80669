internal import JPNGContainer
internal import ImageFormats
internal import Tessera

/// The description of a file of several images that `info` prints.
struct SequenceDescription {
    /// The number of images.
    let count: Int
    private let kind: ImageSequence.Kind
    private let loopCount: Int
    private let frames: [AnimationFrame]
    private let error: ImageError?

    /// Counts the images; nil if there is only one.
    init?(
        _ header: ImageHeader, options: DecodingOptions, bytes: () throws(ImageError) -> [UInt8]
    ) throws(ImageError) {
        // Whether a GIF is animated shows only after its first image.
        let mayBeAnimated = header.sequence?.kind == .animation || header.format == .gif
        guard mayBeAnimated else {
            guard let sequence = header.sequence else { return nil }
            (kind, count, loopCount, frames, error) = (sequence.kind, sequence.count ?? 1, 1, [], nil)
            return
        }
        let source = try AnimatedImageSource(bytes(), options: options)
        (kind, count, loopCount) = (.animation, source.frames.count, source.loopCount)
        (frames, error) = (source.frames, source.error)
        if count == 1, error == nil { return nil }
    }

    /// The description as pairs of a name and a value.
    var text: [(String, String)] {
        guard kind == .animation else { return [("pictures", "\(count)")] }
        let total = frames.reduce(0) { $0 + $1.duration }
        let delays = frames.map(\.duration)
        var facts = [
            ("frames", "\(count)"), ("loops", loopCount == 0 ? "without end" : "\(loopCount)"),
            ("duration", "\(total.formatted(decimals: 2)) s"),
        ]
        if let shortest = delays.min(), let longest = delays.max() {
            facts.append(
                (
                    "delays",
                    shortest == longest
                        ? "\(milliseconds(shortest)) ms" : "\(milliseconds(shortest)) to \(milliseconds(longest)) ms"
                ))
        }
        if let error { facts.append(("damage", "\(error)")) }
        return facts
    }

    /// The description as JSON.
    var json: JSONValue {
        guard kind == .animation else { return .object([("kind", .string("pages")), ("count", .integer(count))]) }
        return .object([
            ("kind", .string("animation")), ("count", .integer(count)), ("loopCount", .integer(loopCount)),
            ("durations", .array(frames.map { .number($0.duration) })),
            ("storedDurations", .array(frames.map { .number($0.storedDuration) })),
            ("error", error.map { .string("\($0)") } ?? .null),
        ])
    }

    private func milliseconds(_ seconds: Double) -> String { (seconds * 1000).formatted(decimals: 0) }
}

/// The parts and the footer of a JPNG, in addition to the image's description.
struct JPNGDescription {
    /// The colour JPEG or the mask.
    struct Part {
        let kind: String
        let size: PixelSize?
        let byteCount: Int

        var text: String {
            (["\(kind)"] + (size.map { ["\($0)"] } ?? []) + ["\(byteCount) bytes"]).joined(separator: ", ")
        }

        var json: JSONValue {
            .object([
                ("kind", .string(kind)),
                ("width", size.map { .integer($0.width) } ?? .null),
                ("height", size.map { .integer($0.height) } ?? .null),
                ("bytes", .integer(byteCount)),
            ])
        }
    }

    let color: Part
    let mask: Part
    let version: String
    let identifier: String

    /// Reads the footer and the start of each part of a file of `byteCount` bytes; `read` returns a range of the file.
    init(byteCount: Int, read: (Range<Int>) throws(ImageError) -> [UInt8]) throws(ImageError) {
        let tail = try read(max(0, byteCount - JPNGFooter.size)..<byteCount)
        let footer: JPNGFooter
        do throws(JPNGError) {
            footer = try JPNGFooter(tail: tail.span.bytes, totalLength: Int64(byteCount))
        } catch {
            throw ImageError(.corrupt, error.message, byteOffset: error.offset.map { Int($0) })
        }
        // The footer's initializer checks that the ranges are within the file.
        color = try Self.part(read, Int(footer.colorRange.lowerBound)..<Int(footer.colorRange.upperBound))
        mask = try Self.part(read, Int(footer.maskRange.lowerBound)..<Int(footer.maskRange.upperBound))
        version = "\(footer.majorVersion).\(footer.minorVersion)"
        identifier = footer.identifier.spelling
    }

    /// The description as JSON.
    var json: JSONValue {
        .object([
            ("color", color.json), ("mask", mask.json), ("version", .string(version)),
            ("identifier", .string(identifier)),
        ])
    }

    private static func part(
        _ read: (Range<Int>) throws(ImageError) -> [UInt8], _ range: Range<Int>
    ) throws(ImageError) -> Part {
        // A header is seldom longer than 64 KiB; if it is, the whole part is read.
        for count in [min(range.count, 1 << 16), range.count] {
            let bytes = try read(range.lowerBound..<range.lowerBound + count)
            if let header = try? ImageSource.header(of: bytes, registry: JPNGReport.partRegistry) {
                return Part(kind: header.format.name, size: header.size, byteCount: range.count)
            }
        }
        return Part(kind: "damaged", size: nil, byteCount: range.count)
    }
}
