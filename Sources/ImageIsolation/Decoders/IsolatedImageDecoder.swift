internal import ImageFormats
internal import Raster

/// The session for a picture that a worker decodes.
final class IsolatedImageDecoder: IncrementalDecoder {
    private let session: IsolatedSession
    private var info: BitmapInfo?
    private var largestSize = PixelSize(width: 0, height: 0)

    init(_ session: IsolatedSession) { self.session = session }

    var header: ImageHeader? { session.header }
    var prefersWholeInput: Bool { session.prefersWholeInput }

    func append(_ bytes: RawSpan) throws(ImageError) { try session.append(bytes) }

    func finish() throws(ImageError) { _ = try session.ask(.finish) }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the picture's header isn't known yet") }
        try plan.validate(for: header.storedSize)
        largestSize = plan.regionSize(of: header.storedSize)
        let info = try session.started(.start(plan, delivery), within: largestSize)
        self.info = info
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let info else { throw ImageError(.invalidParameter, "the decoder was not started") }
        let wanted = try session.rowCount(rows.count, of: info)
        guard case .read(let delivery) = try session.ask(.read(rowCount: wanted)) else { throw session.refuse() }
        switch delivery {
        case .rows(let count):
            guard count <= wanted else { throw session.refuse() }
            try session.copyRows(count, of: info, into: &rows)
        case .restart(let new):
            self.info = try session.checked(new, within: largestSize)
        case .needMoreData, .passComplete, .end:
            break
        }
        return delivery
    }
}
