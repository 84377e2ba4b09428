// Package mcp is responsible for the Model Context Protocol: what a coding agent may ask of the team's memory through
// it. It stands beside package claude and, like it, imports the client, the domain and the search, nothing else.
package mcp
