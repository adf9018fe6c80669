import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster

extension ImageViewModel {
    /// Returns when the model is in a state that `isMet`.
    func wait(until isMet: (State) -> Bool) async {
        for await state in changes where isMet(state) { return }
    }

    /// Returns when the picture of one pixel of this value is shown.
    func waitForPicture(_ value: UInt8) async {
        await wait { state in
            if case .showing(let container) = state { container.image.pixelValue == value } else { false }
        }
    }

    /// The state's name.
    var stateName: String {
        switch state {
        case .empty: "empty"
        case .placeholder: "placeholder"
        case .loading: "loading"
        case .preview: "preview"
        case .showing: "showing"
        case .failed: "failed"
        }
    }
}
