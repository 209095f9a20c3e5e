using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;

namespace Ioxide.Http2.Tests;

/// <summary>A transport whose input is cut; see <see cref="CutReader"/>.</summary>
internal sealed class CutTransport(IDuplexPipe inner, Random? random, int border = -1) : IDuplexPipe
{
    public PipeReader Input { get; } = new CutReader(inner.Input, random, border);

    public PipeWriter Output => inner.Output;

    /// <summary>Puts a segment's border in front of the first byte of the first connection, of the second byte of the second one, and so on.</summary>
    internal static Func<ConnectionDelegate, ConnectionDelegate> BorderMiddleware()
    {
        int connections = -1;
        return next => connection =>
        {
            connection.Transport = new CutTransport(connection.Transport, null, Interlocked.Increment(ref connections));
            return next(connection);
        };
    }

    /// <summary>Cuts the input of two connections of three: each byte, or at random.</summary>
    internal static Func<ConnectionDelegate, ConnectionDelegate> Middleware()
    {
        int connections = -1;
        return next => connection =>
        {
            int number = Interlocked.Increment(ref connections);
            if (number % 3 > 0)
            {
                connection.Transport = new CutTransport(connection.Transport, number % 3 == 1 ? null : new Random(number));
            }

            return next(connection);
        };
    }
}
