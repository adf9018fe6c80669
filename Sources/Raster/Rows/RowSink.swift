/// Where rows are pushed to: an encoder, a bitmap, the next stage of a pipeline.
///
/// A sink knows beforehand what it will be given; rows come top to bottom, each once. It is used by one task at a time.
public protocol RowSink: AnyObject {
    /// Takes the rows that come next. They have the width and the format that the sink was made for.
    /// - Throws: What kept them from being taken; the sink is of no more use then.
    func write(_ rows: borrowing PixelRows) throws(ImageError)

    /// Says that the last row was written. Nothing is complete before.
    func finish() throws(ImageError)
}
