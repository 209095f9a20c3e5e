using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore.Tests;

/// <summary>One line that the server logged.</summary>
internal sealed record LogLine(string Category, LogLevel Level, EventId Event, string Message, Exception? Exception);
