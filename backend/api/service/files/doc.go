// Package files implements the commands about files and folders: finding, reading and opening the files of a space
// ([Files]), choosing a folder, and the user's editor ([Editors]).
//
// Commands that name a space read and open nothing outside its folder.
package files
