using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Sides;

/// <summary>
/// What no driver can be below: a blocking socket that sends the messages of the workload and looks at the last bytes of what
/// comes, at nothing else. The statement was parsed before.
/// </summary>
internal sealed class FloorSide(string name, BenchWorkload workload, BenchOptions options) : BenchSide(name, workload)
{
    private const int Int4Type = 23;
    private const string StatementName = "f";

    private static readonly byte[] s_ready = [(byte)'Z', 0, 0, 0, 5, (byte)'I'];

    private readonly byte[] _received = new byte[64 * 1024];
    private readonly byte[] _tail = new byte[64];
    private Socket _socket = null!; // Set by OpenAsync, which everything else follows.

    internal override Task OpenAsync()
    {
        (string sql, int parameterCount) = Workload.Kind switch
        {
            WorkloadKind.PrimaryKey when Workload.CallerCount == 1 => ("select randomnumber from world where id = $1", 1),
            WorkloadKind.Batch => ("select randomnumber from world where id = $1", 1),
            WorkloadKind.UpdateBatch => ("update updates set randomnumber = $2 where id = $1", 2),
            WorkloadKind.Fortunes => ("select id, message from fortunes", 0),
            WorkloadKind.Items => ($"{Tables.Items} where id between $1 and $2", 2),
            WorkloadKind.ItemsStreamed => (Tables.Items, 0),
            _ => throw Unsupported(),
        };
        EndPoint server = options.Host.StartsWith('/')
            ? new UnixDomainSocketEndPoint($"{options.Host}/.s.PGSQL.{options.Port}")
            : new IPEndPoint(IPAddress.Parse(options.Host), options.Port);
        _socket = new Socket(server.AddressFamily, SocketType.Stream, server is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified);

        // One asynchronous call would make the descriptor non-blocking, and every later call wait by epoll.
        _socket.Connect(server);
        if (server is IPEndPoint)
        {
            _socket.NoDelay = true;
        }

        var message = new Message();
        message.Begin(null).Int32(196_608).Text("user").Text(options.User).Text("database").Text(options.Database).Byte(0).End();
        Ask(message, s_ready);
        message.Clear();
        message.Begin('P').Text(StatementName).Text(sql).Int16(parameterCount);
        for (int i = 0; i < parameterCount; i++)
        {
            message.Int32(Int4Type);
        }

        Ask(message.End().Begin('S').End(), s_ready);
        return Task.CompletedTask;
    }

    internal override Task RunAsync(Turn turn) => Task.Factory.StartNew(
        () => Run(turn), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public override ValueTask DisposeAsync()
    {
        _socket.Dispose();
        return ValueTask.CompletedTask;
    }

    private void Run(Turn turn)
    {
        var ids = new IdSource(0);
        var message = new Message();
        byte[] end = EndOfAnswer();
        while (turn.GoesOn)
        {
            long began = turn.Begin(0);
            message.Clear();
            for (int i = 0; i < Workload.QueriesACall; i++)
            {
                WriteQuery(message, ref ids);
            }

            Ask(message.Begin('S').End(), end);
            turn.End(0, began);
        }
    }

    private void WriteQuery(Message message, ref IdSource ids)
    {
        message.Begin('B').Byte(0).Text(StatementName).Int16(1).Int16(1);
        switch (Workload.Kind)
        {
            case WorkloadKind.Items:
                int first = ids.Next(Tables.ItemCount - Workload.RowCount);
                message.Int16(2).Int32(4).Int32(first).Int32(4).Int32(first + Workload.RowCount - 1);
                break;
            case WorkloadKind.UpdateBatch:
                int id = ids.Next(Tables.WorldCount);
                message.Int16(2).Int32(4).Int32(id).Int32(4).Int32(Tables.RandomNumber(id));
                break;
            case WorkloadKind.PrimaryKey or WorkloadKind.Batch:
                message.Int16(1).Int32(4).Int32(ids.Next(Tables.WorldCount));
                break;
            default:
                message.Int16(0);
                break;
        }

        message.Int16(1).Int16(1).End().Begin('E').Byte(0).Int32(0).End();
    }

    /// <summary>The CommandComplete of the right count, and the ReadyForQuery behind it.</summary>
    private byte[] EndOfAnswer()
    {
        int count = Math.Max(1, Workload.RowCount);
        Message end = new Message().Begin('C').Text(Workload.Kind == WorkloadKind.UpdateBatch ? "UPDATE 1" : $"SELECT {count}").End();
        return [.. end.Written, .. s_ready];
    }

    /// <summary>Sends, and receives until the answer ends so. One question is in flight, so nothing comes behind it.</summary>
    private void Ask(Message message, ReadOnlySpan<byte> end)
    {
        _socket.Send(message.Written);
        while (true)
        {
            int count = _socket.Receive(_received);
            if (count == 0)
            {
                throw new WrongAnswerException("The server closed the connection.");
            }

            // The last bytes of the stream, across receives.
            int kept = Math.Min(count, _tail.Length);
            _tail.AsSpan(kept).CopyTo(_tail);
            _received.AsSpan(count - kept, kept).CopyTo(_tail.AsSpan(_tail.Length - kept));
            if (_tail.AsSpan().EndsWith(end))
            {
                return;
            }

            if (_tail.AsSpan().EndsWith(s_ready))
            {
                throw new WrongAnswerException($"An answer ended with '{Encoding.Latin1.GetString(_tail)}'.");
            }
        }
    }

    /// <summary>Messages to the server, one behind the other.</summary>
    private sealed class Message
    {
        private readonly byte[] _bytes = new byte[4096];
        private int _length;
        private int _start;

        internal ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

        internal void Clear() => _length = 0;

        /// <summary>Null for the first message of a connection, which has no type.</summary>
        internal Message Begin(char? type)
        {
            if (type is { } letter)
            {
                Byte((byte)letter);
            }

            _start = _length;
            return Int32(0);
        }

        internal Message End()
        {
            BinaryPrimitives.WriteInt32BigEndian(_bytes.AsSpan(_start), _length - _start);
            return this;
        }

        internal Message Byte(byte value)
        {
            _bytes[_length++] = value;
            return this;
        }

        internal Message Int16(int value)
        {
            BinaryPrimitives.WriteInt16BigEndian(_bytes.AsSpan(_length), (short)value);
            _length += sizeof(short);
            return this;
        }

        internal Message Int32(int value)
        {
            BinaryPrimitives.WriteInt32BigEndian(_bytes.AsSpan(_length), value);
            _length += sizeof(int);
            return this;
        }

        internal Message Text(string value)
        {
            _length += Encoding.UTF8.GetBytes(value, _bytes.AsSpan(_length));
            return Byte(0);
        }
    }
}
