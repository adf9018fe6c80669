// FirstMinute FOLDER: the jobs of a program's first minute with pictures, each in one to three statements.
//
// The samples of the guide "The first minute" (Sources/Tessera/Documentation.docc/FirstMinute.md), each as it stands there,
// so that they compile and run; `Examples/check` compares, and counts their statements.

import Foundation
import Tessera

guard CommandLine.arguments.count == 2, FileManager.default.changeCurrentDirectoryPath(CommandLine.arguments[1]) else {
    print("FirstMinute FOLDER")
    exit(64)
}
try makeSamples()

func open() throws {
    let image = try Image(contentsOf: URL(filePath: "photo.jpg"))
    print(image.size, image.format!, image.isDecoded)
}

func reduce() throws {
    try Image(path: "photo.jpg").thumbnail(fitting: 800).write(to: "small.png")
}

func convert() throws {
    try Image(path: "photo.jpg").write(to: "photo.png")
    let bytes = try Image(path: "photo.jpg").data(as: .jpng, quality: 0.9)
    print(bytes.count)
}

func applyEffects() throws {
    let card = try Image(path: "photo.jpg").applying(.scaleToFit(width: 400, height: 300), .cornerRadius(20))
    try card.write(to: "card.png")
}

func play() throws {
    for frame in try AnimatedImage(contentsOf: URL(filePath: "party.gif")).frames {
        print(try frame.image.bitmap().size, frame.duration)
    }
}

func divide() async throws {
    try await Pyramid.build("photo.jpg", to: "photo.dzi")
}

func look() async throws {
    let survey = try await TiledImage(contentsOf: URL(filePath: "photo.dzi"))
    let part = try await survey.region(PixelRect(x: 200, y: 100, width: 640, height: 480))
    print(survey.levels.count, part.size)
}

func load(_ url: URL) async throws {
    let image = try await ImagePipeline.shared.image(for: url)
    print(image.size)
}

try open()
try reduce()
try convert()
try applyEffects()
try play()
try await divide()
try await look()
try await load(URL(filePath: "photo.jpg"))
