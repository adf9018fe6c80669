public import Raster

/// Where whole pictures are pushed to, to become the frames or pages of one file.
public protocol FrameSink: AnyObject {
    /// Takes the picture that comes next.
    /// - Parameter duration: How long it is shown, in seconds; a format of pages leaves it aside.
    /// - Throws: What kept it from being taken; the sink is of no more use then.
    func write(_ frame: Bitmap, duration: Double) throws(ImageError)

    /// Says that the last picture was written. Nothing is complete before.
    /// - Throws: `invalidParameter` when there were fewer pictures than announced.
    func finish() throws(ImageError)
}
