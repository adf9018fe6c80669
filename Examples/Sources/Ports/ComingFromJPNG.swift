import Foundation
import Raster
import Tessera

func convertCutOut(_ input: String, to output: String) throws -> TextureBuffer {
    try Image(path: input).write(to: output, quality: 0.94)

    let data = try Data(contentsOf: URL(filePath: output))
    let shown = try Image(jpngData: data, scale: 2)
    print(shown.size, "transparent:", shown.hasAlpha, "decoded:", shown.isDecoded)
    return try Image(jpngData: data, forcesDecompression: true).textureBuffer(.bgra)
}
