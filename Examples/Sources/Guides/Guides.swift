// The samples of the guides in Sources/Tessera/Documentation.docc, so that they compile; `Examples/compare-samples` compares.
import Foundation
import ImageEffects
import ImageViews
import Raster
import Tessera

// Effects.md

func makeCard(of image: Image) throws -> Image {
    try image.applying(.scaleToFit(width: 800, height: 600), .cornerRadius(20), .shadow(y: 4, blur: 12))
}

func makeCover(of image: Image) throws -> Image {
    var view = ViewEffects(width: 224, height: 186, contentMode: .aspectFit, cornerRadius: 10)
    view.reflection = Effects.Reflection(scale: 0.5, gap: 10, alpha: 0.25)
    return try image.applying(view.chain)
}

func storedRecipe() throws -> Data {
    let chain: EffectChain = [.scaleToFit(width: 800, height: 600), .circle]
    return try JSONEncoder().encode(chain)
}

func softened(_ image: Image) throws -> Image {
    let glow = Effects.Custom(identifier: "glow-8") { image throws(ImageError) in
        let soft = try image.applying(.blur(radius: 8), .opacity(0.5))
        return try image.applying(.overlay(EffectPicture(soft, reference: "glow-8"), blendMode: .screen))
    }
    return try image.applying(glow)
}

// JPNG.md

func convertCutOut() throws {
    try Image(path: "cutout.png").write(to: "cutout.jpng", quality: 0.8)
}

// Tiles.md

func look(at path: String) async throws {
    let survey = try await TiledImage(contentsOf: path)
    let overview = try await survey.overview(maximumSide: 1024)
    let tile = try await survey.tile(TileAddress(level: 0, column: 40, row: 21))
    let part = try await survey.region(PixelRect(x: 9000, y: 5000, width: 1600, height: 1200))
    print(survey.size, overview.size, tile.size, part.size)
}

func follow(_ chunks: AsyncThrowingStream<[UInt8], any Error>) async throws {
    let image = ArrivingImage(chunks)
    print(try await image.header().size)
    for await event in image.events { print(event) }
}

func build(_ input: String) async throws {
    try await Pyramid.build(input, to: "survey.dzi")
}

// Views.md

@MainActor
func showCard(_ path: String, draw: (Image?) -> Void) async throws {
    let card = EffectImageView()
    card.size = ViewSize(width: 224, height: 186)
    (card.cornerRadius, card.reflectionScale, card.reflectionAlpha) = (10, 0.5, 0.25)
    card.setImage(contentsOfFile: path)
    for await image in card.processedImages { draw(image) }
}

// Tessera.md

func makeThumbnail(of input: String, at output: String) throws {
    try Image(path: input).thumbnail(fitting: 400).write(to: output)
}

// Names.md

typealias Picture = Raster.Image
