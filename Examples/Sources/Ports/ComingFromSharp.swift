import Foundation
import ImageEffects
import ImageFormats
import Tessera

func makePreview(of upload: Data, stamp: String) async throws -> [UInt8] {
    let header = try ImageSource.header(of: upload)
    guard header.size.width >= 320 else { throw ImageError(.invalidParameter, "\(header.size) is too small") }

    let mark = EffectPicture(try Image(path: stamp), reference: stamp)
    let preview = try Image(data: upload)
        .applying(.scaleToFill(width: 320, height: 240), .saturation(1.2), .overlay(mark, x: 16, y: 16, width: 64))
    let options = EncodingOptions(quality: 0.8, jpeg: EncodingOptions.JPEG(isProgressive: true))
    return try await preview.data(as: .jpeg, options: options)
}
