import Foundation
import ImageEffects
import ImageViews
import Tessera

@MainActor
func showReflected(_ file: String, mask: String) throws -> Image? {
    let view = EffectImageView()
    view.size = ViewSize(width: 224, height: 186)
    view.contentMode = .aspectFit
    view.reflectionScale = 0.5
    view.reflectionAlpha = 0.25
    view.reflectionGap = 10
    view.shadowOffset = ViewSize(width: 0, height: 2)
    view.shadowBlur = 5
    view.cornerRadius = 10

    let shape = EffectPicture(try Image(path: mask).applying(.maskFromAlpha), reference: mask)
    view.customEffects = Effects.Custom(identifier: "mask \(mask)") { image throws(ImageError) in
        try image.applying(.mask(shape))
    }
    view.setImage(contentsOfFile: file)
    return view.processedImage
}
