#if SVG
extension SVGWorker {
    /// Where the program is; nil when it isn't installed. Looked for once.
    static let installedPath = InstalledProgram.path("tessera-svg", variable: "TESSERA_SVG_WORKER")
}
#endif
