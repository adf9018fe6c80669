package import Raster

/// Decodes a still image in a worker process.
package final class IsolatedImageDecoder: IncrementalDecoder {
    private let session: IsolatedSession
    private var info: BitmapInfo?
    private var largestSize = PixelSize(width: 0, height: 0)

    /// A decoder of the image that `session` has begun.
    package init(_ session: IsolatedSession) { self.session = session }

    package var header: ImageHeader? { session.header }
    package var prefersWholeInput: Bool { session.prefersWholeInput }

    package func append(_ bytes: RawSpan) throws(ImageError) { try session.append(bytes) }

    package func finish() throws(ImageError) { _ = try session.ask(.finish) }

    package func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the image's header isn't known yet") }
        try plan.validate(for: header.storedSize)
        largestSize = plan.regionSize(of: header.storedSize)
        let info = try session.started(.start(plan, delivery), within: largestSize)
        self.info = info
        return info
    }

    package func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let info else { throw ImageError(.invalidParameter, "the decoder was not started") }
        let delivery = try session.read(info, into: &rows)
        if case .restart(let new) = delivery { self.info = try session.checked(new, within: largestSize) }
        return delivery
    }
}
