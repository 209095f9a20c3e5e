using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Reads a command's rows where the connection received them.</summary>
internal interface IRowLender
{
    /// <summary>The connection lends what it received, from a row on. Completes when the reader has returned it.</summary>
    ValueTask LendAsync(in ReadOnlySequence<byte> received, ResultColumns columns, MessageScratch scratch);
}
