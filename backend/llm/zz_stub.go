package llm

func Cost(provider, model string, u Usage) (float64, bool) { return u.Cost, u.Cost > 0 }
func Context(provider, model string) int64                  { return 0 }
