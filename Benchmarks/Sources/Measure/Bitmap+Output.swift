import Tessera

extension Bitmap {
    /// The pixels as rows of RGBA bytes; grey is spread over the channels.
    func output() throws -> Output {
        switch format {
        case .rgba8:
            return .pixels(tightBytes(), width: width, height: height)
        case .gray8:
            return .pixels(tightBytes().flatMap { [$0, $0, $0, 255] }, width: width, height: height)
        default:
            throw MeasureError("\(format) is not compared")
        }
    }
}
