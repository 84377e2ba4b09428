module github.com/charmbracelet/lipgloss

go 1.26.5
