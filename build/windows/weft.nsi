; The installer for Windows: for one user, without an administrator. package.sh runs makensis with these names:
;   VERSION, NUMBER (four numbers), TREE (the folder with the files), WEBVIEW (Microsoft's installer of WebView2), ICON, OUT
;
; /S installs without a window, /D=FOLDER (the last word) elsewhere, and /NOWEBVIEW leaves WebView2 alone.
; Conversations and settings are never touched.
;
; Weft replaces what it was installed with by itself later. The file installed-files, with one name a line, says which files there are; Weft keeps
; it true.

Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
SetDateSave off
RequestExecutionLevel user
Name "Weft"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Weft"
InstallDirRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Weft" "InstallLocation"
BrandingText " "
ManifestDPIAware true
ManifestSupportedOS Win10

!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include StrFunc.nsh
${Using:StrFunc} UnStrLoc

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Weft"
!define PATHS "Software\Microsoft\Windows\CurrentVersion\App Paths\weft.exe"
!define LINKS "Software\Classes\weft"
!define RUNTIME "{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}" ; of WebView2

VIProductVersion "${NUMBER}"
VIAddVersionKey "ProductName" "Weft"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Weft Setup"
VIAddVersionKey "CompanyName" "Weft"
VIAddVersionKey "LegalCopyright" ""

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\weft.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; Stops if a program of an earlier install is running: its file can't be replaced.
!macro StopIfRunning NAME
  ${If} ${FileExists} "$INSTDIR\${NAME}"
    ClearErrors
    FileOpen $0 "$INSTDIR\${NAME}" a
    ${If} ${Errors}
      MessageBox MB_OK|MB_ICONEXCLAMATION "Weft is running. Close it and run this again." /SD IDOK
      SetErrorLevel 2
      Quit
    ${EndIf}
    FileClose $0
  ${EndIf}
!macroend

; Puts a file in place and into the list, which $9 is.
!macro Put NAME
  File "${TREE}/${NAME}"
  FileWrite $9 "${NAME}$\r$\n"
!macroend

Section "Weft"
  !insertmacro StopIfRunning "weft.exe"
  !insertmacro StopIfRunning "weft-agent.exe"
  SetOutPath "$INSTDIR"
  RMDir /r "$INSTDIR\update" ; what an update of another version has left
  ClearErrors
  FileOpen $9 "$INSTDIR\installed-files" w
  !insertmacro Put "weft.exe"
  !insertmacro Put "weft-agent.exe"
  !insertmacro Put "CHANGELOG.md"
  !insertmacro Put "COPYRIGHT.txt"
  !insertmacro Put "THIRD-PARTY-NOTICES.txt"
  FileClose $9
  WriteUninstaller "$INSTDIR\uninstall.exe"
  ${If} ${Errors}
    MessageBox MB_OK|MB_ICONSTOP "Couldn't write to $INSTDIR. Free some space or choose another folder, and run this again." /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}

  CreateShortcut "$SMPROGRAMS\Weft.lnk" "$INSTDIR\weft.exe"

  WriteRegStr HKCU "${PATHS}" "" "$INSTDIR\weft.exe"
  WriteRegStr HKCU "${LINKS}" "" "URL:Weft"
  WriteRegStr HKCU "${LINKS}" "URL Protocol" ""
  WriteRegStr HKCU "${LINKS}\DefaultIcon" "" '"$INSTDIR\weft.exe",0'
  WriteRegStr HKCU "${LINKS}\shell\open\command" "" '"$INSTDIR\weft.exe" "%1"'

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Weft"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "Weft"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\weft.exe"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  IntFmt $0 "0x%08X" $0
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" "$0"

  Call InstallWebView
SectionEnd

; The window needs WebView2, which Windows 11 has and most of Windows 10. Weft can be used in a browser without it.
Function InstallWebView
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/NOWEBVIEW" $1
  ${IfNot} ${Errors}
    Return
  ${EndIf}
  ReadRegStr $0 HKLM "SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients\${RUNTIME}" "pv"
  ReadRegStr $1 HKCU "Software\Microsoft\EdgeUpdate\Clients\${RUNTIME}" "pv"
  ${If} "$0$1" != ""
  ${AndIf} "$0$1" != "0.0.0.0"
    Return
  ${EndIf}
  DetailPrint "Installing Microsoft Edge WebView2"
  InitPluginsDir
  SetOutPath "$PLUGINSDIR"
  File "/oname=webview2.exe" "${WEBVIEW}"
  ClearErrors
  ExecWait '"$PLUGINSDIR\webview2.exe" /silent /install' $0
  SetOutPath "$INSTDIR"
  ${If} ${Errors}
  ${OrIf} $0 != 0
    MessageBox MB_OK|MB_ICONEXCLAMATION "Weft was installed, but Microsoft Edge WebView2, which its window needs, couldn't be. Check the network and run this again, or use weft serve with a browser." /SD IDOK
  ${EndIf}
FunctionEnd

; Removes a file of the list, which is on the stack with the end of its line, and the folders that are empty then.
Function un.RemoveListed
  Pop $0
  StrCpy $1 ""
  ${Do} ; turn the slashes, and leave the end of the line
    StrCpy $2 $0 1
    StrCpy $0 $0 "" 1
    ${If} $2 == ""
    ${OrIf} $2 == "$\r"
    ${OrIf} $2 == "$\n"
      ${ExitDo}
    ${EndIf}
    ${If} $2 == "/"
      StrCpy $2 "\"
    ${EndIf}
    StrCpy $1 "$1$2"
  ${Loop}
  ${If} $1 != ""
    Delete "$INSTDIR\$1"
  ${EndIf}
  ${Do} ; the folders above
    ${Do}
      StrCpy $2 $1 1 -1
      ${If} $2 == ""
        Return
      ${EndIf}
      StrCpy $1 $1 -1
    ${LoopUntil} $2 == "\"
    RMDir "$INSTDIR\$1"
  ${Loop}
FunctionEnd

Section "Uninstall"
  !insertmacro StopIfRunning "weft.exe"
  !insertmacro StopIfRunning "weft-agent.exe"
  Delete "$SMPROGRAMS\Weft.lnk"
  ReadRegStr $0 HKCU "${LINKS}\shell\open\command" ""
  ${If} $0 == '"$INSTDIR\weft.exe" "%1"'
    DeleteRegKey HKCU "${LINKS}"
  ${EndIf}
  ReadRegStr $0 HKCU "${PATHS}" ""
  ${If} $0 == "$INSTDIR\weft.exe"
    DeleteRegKey HKCU "${PATHS}"
  ${EndIf}
  DeleteRegKey HKCU "${UNINSTALL}"
  ClearErrors
  FileOpen $9 "$INSTDIR\installed-files" r
  ${IfNot} ${Errors}
    ${Do}
      ClearErrors
      FileRead $9 $0
      ${If} ${Errors}
        ${ExitDo}
      ${EndIf}
      ${UnStrLoc} $1 $0 ".." ">"
      ${UnStrLoc} $2 $0 ":" ">"
      StrCpy $3 $0 1
      ${If} "$1$2" == ""
      ${AndIf} $3 != "\"
      ${AndIf} $3 != "/"
        Push $0
        Call un.RemoveListed
      ${EndIf}
    ${Loop}
    FileClose $9
  ${EndIf}
  Delete "$INSTDIR\installed-files"
  Delete "$INSTDIR\lock"
  RMDir /r "$INSTDIR\update"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
SectionEnd
