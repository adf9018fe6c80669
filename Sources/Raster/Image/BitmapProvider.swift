/// A picture not decoded yet: what is known of it, and how to get its pixels.
public protocol BitmapProvider: Sendable {
    /// What a full decode delivers, upright: known without decoding.
    var info: BitmapInfo { get }

    /// Decodes what `plan` asks for, upright, at the planned size or larger.
    ///
    /// May be called from any thread, any number of times; each call decodes anew.
    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap

    /// Bytes that it holds on to, for caches to count; 0 unless said otherwise.
    var byteCount: Int { get }
}

extension BitmapProvider {
    /// 0.
    public var byteCount: Int { 0 }
}
