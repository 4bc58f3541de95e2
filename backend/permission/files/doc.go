// Package files finds the files that a request of an agent names: where they are in the folder of the space once links are followed, whether
// they are outside of it, and whether changing one would change a git folder.
//
// It looks at the disk, and changes nothing there. A path of which it can't be told where it leads is taken to be outside of the folder.
package files
