using System.Globalization;

namespace Ioxide.Files;

/// <summary>The <c>Date</c> field and the empty line that end a head; renewed twice per second. Threads: any.</summary>
internal static class DateLine
{
    /// <summary>Bytes of <c>Date: Sun, 06 Nov 1994 08:49:37 GMT</c> and two line ends.</summary>
    internal const int LengthBytes = 6 + HttpDates.LengthBytes + 4;

    private const long LifeMs = 500;

    private static Line s_line = new(long.MinValue, []);

    /// <summary>The bytes, at most half a second behind the clock.</summary>
    internal static ReadOnlySpan<byte> Bytes
    {
        get
        {
            long now = Environment.TickCount64;
            Line line = Volatile.Read(ref s_line);
            if (now - LifeMs >= line.MadeMs || line.Text.Length == 0)
            {
                string date = DateTime.UtcNow.ToString("r", CultureInfo.InvariantCulture);
                line = new Line(now, Encoding.ASCII.GetBytes($"Date: {date}\r\n\r\n"));
                Volatile.Write(ref s_line, line);
            }

            return line.Text;
        }
    }

    private sealed record Line(long MadeMs, byte[] Text);
}
