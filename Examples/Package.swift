// swift-tools-version: 6.2
import PackageDescription

// What the examples import beside the first day's types of Tessera.
let tessera: [Target.Dependency] = [
    "Tessera", "Raster", "ImageEffects", "ImageFormats", "ImageLoading", "ImagePyramid", "ImageViews",
].map {
    .product(name: $0, package: "Tessera")
}

// Small programs that show one thing each. `Examples/check` builds and runs them.
let package = Package(
    name: "TesseraExamples",
    dependencies: [.package(name: "Tessera", path: "..", traits: [])],
    targets: [
        .executableTarget(name: "FirstMinute", dependencies: tessera),
        .executableTarget(name: "Thumbnails", dependencies: tessera),
        .executableTarget(name: "Arriving", dependencies: tessera),
        .executableTarget(name: "CutOut", dependencies: tessera),
        .executableTarget(name: "Gallery", dependencies: tessera),
        .executableTarget(name: "LoadingGuide", dependencies: tessera),
        .executableTarget(name: "Guides", dependencies: tessera),
        .executableTarget(name: "Ports", dependencies: tessera),
        .executableTarget(
            name: "Originals", dependencies: [.product(name: "TesseraCompatibility", package: "Tessera")]),
        // OpenGL ES, by EGL.
        .target(
            name: "COffscreen", linkerSettings: [.linkedLibrary("EGL"), .linkedLibrary("GLESv2")]),
        .executableTarget(
            name: "Texture", dependencies: tessera + ["COffscreen"]),
    ]
)
