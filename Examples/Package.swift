// swift-tools-version: 6.2
import PackageDescription

// Small programs that show one thing each. `Examples/check` builds and runs them.
let package = Package(
    name: "TesseraExamples",
    dependencies: [.package(name: "Tessera", path: "..", traits: [])],
    targets: [
        .executableTarget(name: "Thumbnails", dependencies: [.product(name: "Tessera", package: "Tessera")]),
        .executableTarget(name: "Arriving", dependencies: [.product(name: "Tessera", package: "Tessera")]),
        .executableTarget(name: "CutOut", dependencies: [.product(name: "Tessera", package: "Tessera")]),
        .executableTarget(name: "Gallery", dependencies: [.product(name: "Tessera", package: "Tessera")]),
        .executableTarget(name: "LoadingGuide", dependencies: [.product(name: "Tessera", package: "Tessera")]),
        .executableTarget(name: "Guides", dependencies: [.product(name: "Tessera", package: "Tessera")]),
        // OpenGL ES, by EGL.
        .target(
            name: "COffscreen", linkerSettings: [.linkedLibrary("EGL"), .linkedLibrary("GLESv2")]),
        .executableTarget(
            name: "Texture", dependencies: [.product(name: "Tessera", package: "Tessera"), "COffscreen"]),
    ]
)
