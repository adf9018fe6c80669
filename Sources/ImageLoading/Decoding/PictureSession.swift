internal import Essentials
internal import ImageEffects
internal import ImageFormats
internal import Raster

/// Decodes one image repeatedly from a growing prefix of its bytes.
///
/// Skips the bytes it has seen, with one exception: when the header shows the size and kind of image (still or
/// animation), the matching source reads them again.
final class PictureSession {
    private enum Stage {
        /// Before the header is known.
        case header(ImageSource)
        case still(ImageSource, EffectPlan?)
        case animation(ImageAnimation)
    }

    private let decoding: PictureDecoding
    private var stage: Stage
    /// The number of bytes passed to the stage's source.
    private var byteCount = 0
    /// The number of the last pass that was returned as preview.
    private var passCount = 0
    private var firstFrame: Image?

    init(_ decoding: PictureDecoding) {
        self.decoding = decoding
        stage = .header(ImageSource(options: decoding.options, deliversPreviews: false, registry: decoding.codecs))
    }

    /// Returns a preview if the bytes so far complete another pass or frame.
    func preview(_ data: Data) -> ImageContainer? {
        do throws(ImageError) {
            let events = try take(data)
            switch stage {
            case .header: return nil
            case .still(let source, let plan): return try preview(events, source, plan)
            case .animation(let animation): return try preview(events, animation)
            }
        } catch {
            // `decode` reports the error, with the partial image.
            return nil
        }
    }

    /// Decodes the complete `data`; nil if the session has no reusable state.
    func decode(_ data: Data) throws -> ImageContainer? {
        guard data.count >= byteCount else { return nil }
        _ = try? take(data)
        switch stage {
        case .header:
            return nil
        case .still(let source, let plan):
            _ = try? source.finish()
            guard !decoding.isAnimated(source.header), let header = source.header,
                let bitmap = try source.currentBitmap()
            else { return nil }
            let orientation = decoding.orientation(of: header)
            let shown = if let plan { try plan.apply(to: bitmap, turnedBy: orientation) } else { bitmap }
            let container = try decoding.container(shown, header, of: Source([UInt8](data)))
            if let error = source.error { throw ImageDecodingError.incomplete(container, error) }
            return container
        case .animation(let animation):
            _ = try? animation.append(data, isLast: true)
            return try decoding.container(animation, data)
        }
    }

    /// Appends the new bytes to the stage's source, and changes the stage when the header is known.
    private func take(_ data: Data) throws(ImageError) -> [DecodingEvent] {
        while true {
            switch stage {
            case .header(let source):
                try append(data, to: source)
                guard let header = source.header else { return [] }
                if decoding.isAnimated(header) {
                    stage = .animation(ImageAnimation(decoding))
                } else {
                    let plan = try decoding.plan(for: header)
                    let source = ImageSource(
                        plan: plan?.decoding ?? .full, options: decoding.options, registry: decoding.codecs)
                    stage = .still(source, plan)
                }
                byteCount = 0
            case .still(let source, _):
                let events = try append(data, to: source)
                guard decoding.isAnimated(source.header) else { return events }
                // A GIF turned out to have a second frame.
                stage = .animation(ImageAnimation(decoding))
                byteCount = 0
            case .animation(let animation):
                byteCount = max(byteCount, data.count)
                return try animation.append(data, isLast: false)
            }
        }
    }

    @discardableResult
    private func append(_ data: Data, to source: ImageSource) throws(ImageError) -> [DecodingEvent] {
        guard data.count > byteCount else { return [] }
        let start = byteCount
        byteCount = data.count
        return try source.append(data.bytes.extracting(start..<data.count))
    }

    private func preview(
        _ events: [DecodingEvent], _ source: ImageSource, _ plan: EffectPlan?
    ) throws(ImageError) -> ImageContainer? {
        let newest = events.reduce(passCount) { if case .pass(let count) = $1 { max($0, count) } else { $0 } }
        guard newest > passCount else { return nil }
        passCount = newest
        guard !source.isComplete, let header = source.header, let bitmap = try source.currentBitmap() else {
            return nil
        }
        // All rows of a pass without a sign of another one: this is the final image, not a preview.
        let orientation = decoding.orientation(of: header)
        let height = orientation.inverse.applied(to: bitmap.size).height
        if case .rows(upTo: height) = events.last { return nil }
        let shown = if let plan { try plan.apply(to: bitmap, turnedBy: orientation) } else { bitmap }
        var container = decoding.container(shown, header)
        container.isPreview = true
        container.userInfo[.scanNumberKey] = newest
        return container
    }

    private func preview(_ events: [DecodingEvent], _ animation: ImageAnimation) throws(ImageError) -> ImageContainer? {
        guard events.contains(where: { if case .frame = $0 { true } else { false } }), let header = animation.header
        else { return nil }
        let image = if let firstFrame { firstFrame } else { try animation.decodedStoredFrame(at: 0) }
        firstFrame = image
        return ImageContainer(
            image: image, type: header.format, isPreview: true, header: header, animation: animation)
    }
}
