// The samples of README.md; `Examples/compare-samples` compares. Nothing is run: there is no survey.jpg.
import Foundation
import Tessera

func thumbnail() throws {
    try Image(path: "in.jpg").thumbnail(fitting: 800).write(to: "out.webp")
}

func card(_ url: URL) async throws {
    let image = try await ImagePipeline.shared.image(for: url)  // file, HTTP, S3 or data URL; cached
    let card = try image.applying(.scaleToFit(width: 800, height: 600), .cornerRadius(20), .shadow(y: 4, blur: 12))
    try await card.write(to: "card.jpng", quality: 0.8)  // keeps the transparency
}

func survey() async throws {
    let survey = try await TiledImage(contentsOf: "survey.jpg")  // 200 megapixels; nothing is decoded yet
    let overview = try await survey.overview(maximumSide: 1024)  // within a quarter of a second
    let part = try await survey.region(PixelRect(x: 9000, y: 5000, width: 1600, height: 1200))
    print(overview.size, part.size)
}

func frames(_ url: URL) throws {
    for (index, frame) in try AnimatedImage(contentsOf: url).frames.enumerated() {
        try frame.image.write(to: "frame-\(index).png")
    }
}

print("The samples compile.")
