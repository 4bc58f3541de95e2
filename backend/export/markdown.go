package export

import "bufio"

func writeMarkdown(s *source, w *bufio.Writer) error { return nil }
func writeHTML(s *source, w *bufio.Writer) error     { return nil }
