package regular

// Names of files can't be pipes here.
const (
	quick  = 0
	inside = ""
)
