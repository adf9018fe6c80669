// The guide's controller for drawings that another framework renders, as printed.
import Foundation
import TesseraCompatibility

@MainActor
final class SVGSample {
    let view = UIView()

    func load(_ url: URL) {
        ImageDecoderRegistry.shared.register { context in
            let isSVG = context.urlResponse?.url?.absoluteString.hasSuffix(".svg") ?? false
            return isSVG ? ImageDecoders.Empty() : nil
        }

        ImagePipeline.shared.loadImage(with: url) { [weak self] result in
            guard let self = self, let data = try? result.get().container.data else {
                return
            }
            let targetBounds = CGRect(origin: .zero, size: CGSize(width: 300, height: 300))
            let svgView = UIView(SVGData: data) { layer in
                layer.fillColor = UIColor.orange.cgColor
                layer.resizeToFit(targetBounds)
            }
            self.view.addSubview(svgView)
            svgView.bounds = targetBounds
            svgView.center = self.view.center
        }
    }

    static func run(in folder: String) async throws {
        let drawing = Data(#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#.utf8)
        let url = try ImageFormatsDocument.write(drawing, to: folder + "/logo.svg")
        let sample = SVGSample()
        sample.load(url)
        await wait { !sample.view.subviews.isEmpty }
        expect(sample.view.subviews[0].bounds.width == 300)
    }
}
