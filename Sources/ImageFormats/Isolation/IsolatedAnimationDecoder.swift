package import Raster

/// Decodes an animation in a worker process.
package final class IsolatedAnimationDecoder: AnimationDecoder {
    private let session: IsolatedSession
    private var info: BitmapInfo?

    /// A decoder of the animation that `session` has begun.
    package init(_ session: IsolatedSession) { self.session = session }

    package var header: ImageHeader? { session.header }
    package var frames: [AnimationFrame] { session.frames }

    package func append(_ bytes: RawSpan) throws(ImageError) { try session.append(bytes) }

    package func finish() throws(ImageError) { _ = try session.ask(.finish) }

    package func start() throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the animation's header isn't known yet") }
        let info = try session.started(.startAnimation, within: header.storedSize)
        guard info.size == header.storedSize, !info.format.isGray, info.alpha != .premultiplied else {
            throw session.refuse()
        }
        self.info = info
        return info
    }

    package func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        guard var info, session.frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "there is no frame \(index) of \(session.frames.count)")
        }
        info.size = session.frames[index].region.size
        _ = try session.ask(.decodeFrame(index))
        var bitmap = try MutableBitmap(uninitialized: info)
        var next = 0
        while next < info.size.height {
            let count = try session.rowCount(info.size.height - next, of: info)
            _ = try session.ask(.frameRows(next..<(next + count)))
            var rows = bitmap.mutableRows
            try session.copyRows(count, of: info, into: &rows, at: next)
            next += count
        }
        return bitmap.freeze()
    }
}
