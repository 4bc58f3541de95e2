package archive

import "weft/backend/conversation/transcript"

// Refs returns the blob references of a segment, without its items.
func Refs(s *transcript.Segment) []*transcript.Ref {
	if s.Display == nil {
		return nil
	}
	return ContentRefs(s.Display)
}

// ContentRefs returns the blob references of a piece of content.
func ContentRefs(c *transcript.Content) []*transcript.Ref { return there(c.Ref, c.OldRef, c.NewRef) }

// CallRefs returns the blob references of a call. The blobs of ContentRef and LocationsRef can contain more.
func CallRefs(c *transcript.ToolCall) []*transcript.Ref {
	list := there(c.TitleRef, c.InputRef, c.ContentRef, c.LocationsRef, c.OutputRef)
	for i := range c.Content {
		list = append(list, ContentRefs(&c.Content[i])...)
	}
	for i := range c.Terminals {
		list = append(list, there(c.Terminals[i].Ref)...)
	}
	for i := range c.Permissions {
		list = append(list, there(c.Permissions[i].ReadingRef)...)
	}
	return list
}

func there(refs ...*transcript.Ref) (list []*transcript.Ref) {
	for _, r := range refs {
		if r != nil {
			list = append(list, r)
		}
	}
	return list
}
