using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Reads a command's rows in the connection's receive buffer.</summary>
internal interface IRowLender
{
    /// <summary>Lends the received bytes, beginning with a row. Completes when the reader has returned it.</summary>
    ValueTask LendAsync(in ReadOnlySequence<byte> received, ResultColumns columns, MessageScratch scratch);
}
