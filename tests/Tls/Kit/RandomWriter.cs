using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tls.Tests;

/// <summary>Writes, outside memory and flushes of any size, from the reactor and from the pool, with writes behind a flush that waits.</summary>
/// <param name="seed">Of everything that is drawn.</param>
internal sealed class RandomWriter(int seed)
{
    private const int StepCount = 30;

    private readonly Random _random = new(seed);
    private readonly ArrayBufferWriter<byte> _expected = new();

    internal List<PoisonedMemory> Owners { get; } = [];

    internal List<string> Path { get; } = [];

    internal byte[] Expected => _expected.WrittenSpan.ToArray();

    /// <summary>Begins on the session's reactor.</summary>
    internal async Task RunAsync(TlsSession session)
    {
        for (int step = 0; step < StepCount; step++)
        {
            bool isOnPool = _random.Next(2) == 0;
            int kind = _random.Next(4);
            int lengthBytes = _random.Next(3) switch
            {
                0 => _random.Next(1, 2000),
                1 => _random.Next(1, 70_000),
                _ => kind == 1 ? _random.Next(100_000, 700_000) : _random.Next(1, 20_000),
            };
            if (step == StepCount / 3)
            {
                // Whatever is drawn: a piece that makes the kernel take over.
                (kind, lengthBytes) = (1, 300_000);
            }

            Path.Add($"{(isOnPool ? "pool" : "reactor")} {kind} {lengthBytes}");
            await (isOnPool ? Task.Run(() => StepAsync(session.Output, kind, lengthBytes)) : StepAsync(session.Output, kind, lengthBytes));
        }
    }

    private async Task StepAsync(TlsWriter output, int kind, int lengthBytes)
    {
        byte[] bytes = Payload.Of(lengthBytes);
        if (kind == 1)
        {
            _expected.Write(bytes);
            PoisonedMemory memory = new(bytes);
            Owners.Add(memory);
            output.Append(memory.Memory, memory);
        }
        else
        {
            Write(output, bytes);
        }

        if (kind == 2)
        {
            ValueTask<FlushResult> flush = output.FlushAsync();
            Write(output, bytes);
            await flush.ConfigureAwait(false);
        }
        else if (kind != 3)
        {
            await output.FlushAsync().ConfigureAwait(false);
        }
    }

    private void Write(TlsWriter output, byte[] bytes)
    {
        _expected.Write(bytes);
        output.Write(bytes);
    }
}
