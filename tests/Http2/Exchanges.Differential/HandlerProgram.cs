using System.Globalization;

namespace Ioxide.Http2.Tests;

/// <summary>What a handler does with its request and answer, and what the client does meanwhile: drawn by a seed.</summary>
/// <remarks>
/// The client acts only where a step says so, and the step ends when the server has read what the client sent. So each run of a program meets the same
/// bytes at the same point. A read that would wait for the client has an act of the client in it.
/// </remarks>
internal sealed partial class HandlerProgram
{
    private const int LongestBody = 100_000;

    private static readonly string[] s_methods = ["GET", "POST", "POST", "POST", "PUT", "HEAD", "DELETE"];
    private static readonly int[] s_sizes = [0, 1, 2, 5, 100, 4095, 4096, 4097, 16_375, 16_384, 16_385, 40_000, LongestBody];
    private static readonly int[] s_statuses = [200, 201, 204, 205, 206, 299, 301, 304, 400, 404, 413, 500, 599, 100, 101, 103, 199, 99, 0, -1, 600, 999, 1000];

    private static readonly (string Name, string Value)[] s_fields =
    [
        ("X-One", "1"), ("x-one", "2"), ("X-Empty", ""), ("Content-Type", "text/plain"), ("Content-Type", "application/json; charset=utf-8"),
        ("Content-Length", "5"), ("Content-Length", "x"), ("Content-Length", "-1"), ("Content-Length", ""), ("Content-Length", "0"),
        ("Connection", "close"), ("Connection", "X-One"), ("Transfer-Encoding", "chunked"), ("Keep-Alive", "timeout=5"), ("Upgrade", "h2c"),
        ("Proxy-Connection", "close"), ("Server", "mine"), ("Date", "Thu, 01 Jan 1970 00:00:00 GMT"), ("Cache-Control", "no-store"),
        ("ETag", "\"1\""), ("X-Blank", " a"), ("X-Blank", "a "), ("X-Tab", "a\tb"), ("X-Bad", "a\nb"), ("X-Bad", "a\0b"), ("X-Wide", "\u00e9"),
        ("X-Wide", "\u20ac"), ("Bad Name", "1"), ("", "1"), (":status", "201"), ("B\u00e9", "1"), ("Vary", "Accept"), ("Trailer", "Sum"), ("TE", "trailers"),
        ("Set-Cookie", "a=1"), ("Location", "/elsewhere"), ("X-Long", new string('v', 5000)),
    ];

    private readonly Random _random;
    private readonly List<Step> _steps = [];
    private int _unread;
    private int _unsent;
    private bool _isExamined;
    private bool _isClientDone;
    private bool _isReaderOver;

    /// <param name="seed">Draws it.</param>
    /// <param name="isHttp1">Leaves out what has no one result over HTTP/1.1.</param>
    internal HandlerProgram(int seed, bool isHttp1 = false)
    {
        Seed = seed;
        _random = new Random(seed);
        Mode = (ProgramMode)_random.Next(4);
        Method = Pick(s_methods);
        bool hasBody = Method is "POST" or "PUT" or "DELETE" && !Chance(6);
        BodyLength = !hasBody ? -1 : Chance(8) ? 0 : Chance(3) ? Pick(s_sizes) : _random.Next(1, 300);
        DeclaresLength = BodyLength >= 0 && Chance(2);
        IsForm = hasBody && Chance(10);
        ExpectsContinue = hasBody && Chance(12);
        Window = Chance(4) ? (uint)_random.Next(1, 40_000) : 1 << 20;
        _unsent = BodyLength;
        _isClientDone = BodyLength < 0;
        if (BodyLength >= 0)
        {
            if (IsForm)
            {
                BodyLength = FormBody.Length;
                _unsent = BodyLength;
            }

            // What the client has sent before the handler begins: nothing, a part, all without the end, all.
            FirstPiece = Chance(3) ? 0 : Chance(2) ? _unsent : _random.Next(_unsent + 1);
            EndsWithFirst = FirstPiece == _unsent && Chance(2);
            Arrive(FirstPiece, EndsWithFirst);
        }

        for (int count = _random.Next(1, Chance(3) ? 14 : 6); count > 0; count--)
        {
            Draw();
        }

        if (!_isClientDone && Chance(2))
        {
            FinishClient();
        }

        UsesLate = Chance(4);

        // Drawn last, so that the programs of known seeds stay what they were but for it.
        if (Chance(8))
        {
            _steps.Insert(_random.Next(_steps.Count + 1), new Step(StepKind.Method, 0, Pick(s_methods), ""));
        }

        // Nothing is done behind an exception.
        int thrown = _steps.FindIndex(static step => step.Kind == StepKind.Throw);
        if (thrown >= 0)
        {
            _steps.RemoveRange(thrown + 1, _steps.Count - thrown - 1);
        }

        AwaitEnds();
        if (isHttp1)
        {
            LeaveOutForHttp1();
        }

        IsClientDone = BodyLength < 0 || EndsWithFirst || _steps.Exists(static step =>
            step.Kind is StepKind.ClientEnds or StepKind.ClientSendsTrailers or StepKind.ClientResets || step is { Kind: StepKind.ReadsAhead, Value.Length: > 0 });
    }

    private HandlerProgram()
    {
        _random = Random.Shared;
        Method = "GET";
        BodyLength = -1;
        IsClientDone = true;
    }

    internal static string FormBody => "a=1&b=two&c=%20&a=3";

    /// <summary>A request without a body, which asks for nothing.</summary>
    internal static HandlerProgram Plain { get; } = new();

    internal int Seed { get; }

    internal ProgramMode Mode { get; }

    internal string Method { get; }

    /// <summary>Bytes of the request's body; -1 where HEADERS end the request.</summary>
    internal int BodyLength { get; }

    internal bool DeclaresLength { get; }

    internal bool IsForm { get; }

    internal bool ExpectsContinue { get; }

    /// <summary>The client's window for the answer; it gives back each byte at once.</summary>
    internal uint Window { get; }

    internal int FirstPiece { get; }

    internal bool EndsWithFirst { get; }

    /// <summary>What the handler kept is used when the request is over, and again while the connection serves another.</summary>
    internal bool UsesLate { get; }

    /// <summary>It ends its request, by itself or by a reset.</summary>
    internal bool IsClientDone { get; }

    /// <summary>It may give a length to a head that must not have one. Kestrel fails in itself then, and its HTTP/2 leaves the request without an end.</summary>
    internal bool MayHaveNoEnd => HasStatusWithoutLength && _steps.Exists(IsLength);

    internal IReadOnlyList<Step> Steps => _steps;

    /// <summary>Bytes of the request's body.</summary>
    internal byte[] Body(int from, int count)
        => IsForm ? System.Text.Encoding.ASCII.GetBytes(FormBody.Substring(from, count)) : Pattern.Of(count, from);

    public override string ToString()
        => string.Create(
            CultureInfo.InvariantCulture,
            $"{Seed}: {Mode}, {Method}, body {BodyLength}{(DeclaresLength ? " declared" : "")}{(IsForm ? " form" : "")}{(ExpectsContinue ? " 100" : "")}, "
            + $"first {FirstPiece}{(EndsWithFirst ? " and the end" : "")}, window {Window}{(UsesLate ? ", used late" : "")}: {string.Join(", ", Steps)}");

    private void Draw()
    {
        switch (_random.Next(10))
        {
            case 0 or 1 or 2:
                DrawRead();
                break;
            case 3 or 4 or 5:
                DrawWrite();
                break;
            case 6 or 7:
                DrawHead();
                break;
            case 8 when !_isClientDone:
                DrawClient();
                break;
            default:
                DrawOther();
                break;
        }
    }

    private void DrawRead()
    {
        switch (_random.Next(17))
        {
            case 0 or 1 or 2:
                Await();
                AddRead(StepKind.PipeRead, consumed: Chance(2) ? int.MaxValue : _random.Next(_unread + 1), isWhole: true);
                break;
            case 3 or 4:
                Await();
                AddRead(StepKind.PipePeek, consumed: Chance(2) ? 0 : _random.Next(_unread + 1), isWhole: true);
                break;
            case 5:
                AddRead(StepKind.PipeTryRead, consumed: Chance(2) ? int.MaxValue : _random.Next(_unread + 1), isWhole: _unread > 0 && !_isExamined);
                break;
            case 6:
                Add(StepKind.PipeReadCanceled);
                break;
            case 7:
                // The next read is the canceled one, and must not wait.
                Add(StepKind.PipeCancelRead);
                if (Chance(2))
                {
                    Add(StepKind.PipeRead);
                }
                else
                {
                    Add(StepKind.StreamRead, 16);
                }

                break;
            case 8 when Chance(3):
                Add(StepKind.PipeComplete, _random.Next(3));
                _isReaderOver = true;
                break;
            case 9 or 10 or 11:
                Await();
                int most = Pick(s_sizes.AsSpan(1));
                AddRead(Chance(4) ? StepKind.StreamReadOld : StepKind.StreamRead, most, isWhole: true);
                break;
            case 12:
                Await();
                Add(StepKind.StreamReadZero);
                _isExamined = false;
                break;
            case 13:
                Await();
                AddRead(StepKind.StreamReadSync, Pick(s_sizes.AsSpan(1)), isWhole: true);
                break;
            case 14:
                Add(StepKind.StreamReadCanceled);
                break;
            case 15:
                FinishClient();
                Add(IsForm || Chance(6) ? StepKind.ReadForm : StepKind.CopyTo);
                (_unread, _isExamined) = (0, false);
                break;
            default:
                if (!_isClientDone && (_unread == 0 || _isExamined))
                {
                    // The read begins, then the client acts, then it ends.
                    int bytes = _random.Next(_unsent + 1);
                    bool ends = bytes == 0 || (bytes == _unsent && Chance(2));
                    ends &= bytes == _unsent;
                    if (bytes == 0 && !ends)
                    {
                        break;
                    }

                    Add(StepKind.ReadsAhead, bytes, Chance(2) ? "pipe" : "stream", ends ? "end" : "");
                    Arrive(bytes, ends);
                    (_unread, _isExamined) = (0, false);
                }

                break;
        }
    }

    private void DrawWrite()
    {
        int size = Chance(2) ? Pick(s_sizes) : _random.Next(300);
        switch (_random.Next(22))
        {
            case 0 or 1 or 2:
                Add(StepKind.PipeWrite, size);
                break;
            case 3 or 4 or 5:
                Add(StepKind.PipeAdvance, size);
                break;
            case 6 or 7:
                Add(StepKind.PipeFlush);
                break;
            case 8:
                Add(Chance(2) ? StepKind.PipeFlushCanceled : StepKind.PipeWriteCanceled, size);
                break;
            case 9:
                Add(StepKind.PipeCancelFlush);
                break;
            case 10 when Chance(3):
                Add(StepKind.PipeCompleteWriter, _random.Next(3));
                break;
            case 11 or 12 or 13:
                Add(StepKind.StreamWrite, size);
                break;
            case 14:
                Add(StepKind.StreamWriteSync, size);
                break;
            case 15:
                Add(StepKind.StreamWriteCanceled, size);
                break;
            case 16:
                Add(Chance(2) ? StepKind.StreamWriteOld : StepKind.StreamFlush, size);
                break;
            case 17:
                Add(StepKind.WriteText, size);
                break;
            case 18:
                Add(StepKind.SendFile, _random.Next(4), Chance(4) ? "missing" : "");
                break;
            case 19:
                Add(Chance(6) ? StepKind.StartCanceled : StepKind.Start);
                break;
            case 20:
                Add(StepKind.Complete);
                break;
            default:
                Add(StepKind.DisableBuffering);
                break;
        }
    }

    private void DrawHead()
    {
        (string name, string value) = Pick(s_fields);
        switch (_random.Next(16))
        {
            case 0 or 1:
                Add(StepKind.Status, Pick(s_statuses));
                break;
            case 2 or 3 or 4 or 5:
                Add(StepKind.Field, 0, name, value);
                break;
            case 6:
                Add(StepKind.FieldAppend, 0, name, value);
                break;
            case 7:
                Add(Chance(3) ? StepKind.FieldsClear : StepKind.FieldRemove, 0, name);
                break;
            case 8:
                Add(StepKind.Length, Chance(2) ? Pick(s_sizes) : _random.Next(-1, 20));
                break;
            case 9:
                Add(StepKind.Cookie, _random.Next(3));
                break;
            case 10:
                Add(Chance(2) ? StepKind.Redirect : StepKind.Reason, 0, Chance(2) ? "/there" : "because");
                break;
            case 11 or 12:
                Add(StepKind.Trailer, 0, Chance(3) ? name : "Sum", Chance(3) ? value : "4");
                break;
            case 13:
                Add(Chance(2) ? StepKind.DeclareTrailer : StepKind.Clear, 0, "Sum");
                break;
            case 14:
                Add(StepKind.OnStarting, _random.Next(5));
                break;
            default:
                Add(Chance(2) ? StepKind.OnCompleted : StepKind.RegisterForDispose, _random.Next(4));
                break;
        }
    }

    private void DrawClient()
    {
        if (Chance(8))
        {
            Add(StepKind.ClientResets);
            _isClientDone = true;
        }
        else if (Chance(4))
        {
            FinishClient(hasTrailers: Chance(2));
        }
        else
        {
            int bytes = _random.Next(_unsent + 1);
            Add(StepKind.ClientSends, bytes);
            Arrive(bytes, isEnd: false);
        }
    }

    private void DrawOther()
    {
        switch (_random.Next(24))
        {
            case 0 when Chance(2):
                Add(StepKind.Abort);
                break;
            case 1 when Chance(2):
                Add(StepKind.Reset, Pick([0, 1, 2, 8, 11, 13, 99]));
                break;
            case 2 or 3:
                Add(StepKind.MaxBody, Pick([-1, 0, 1, 10, 100, 1000, 1_000_000]));
                break;
            case 4 or 5 or 6:
                Add(StepKind.AllowSync);
                break;
            case 7 or 8 or 9:
                Add(StepKind.Look);
                break;
            case 10 or 11:
                Add(StepKind.LookAtRequest);
                break;
            case 12 or 13:
                Add(StepKind.LookAtTrailers);
                break;
            case 14:
                Add(StepKind.LookAtFeatures);
                break;
            case 15:
                Add(StepKind.ReplaceFeature, _random.Next(5));
                break;
            case 16:
                Add(StepKind.ReplaceResponseBody);
                break;
            case 17:
                Add(StepKind.ReplaceRequestBody, _random.Next(200));
                (_unread, _isExamined, _isReaderOver) = (0, false, true);
                break;
            case 18:
                Add(StepKind.AbortedToken);
                break;
            case 19 or 20:
                Add(StepKind.Yield, _random.Next(2));
                break;
            default:
                if (Chance(2))
                {
                    Add(StepKind.Throw, _random.Next(5));
                }

                break;
        }
    }

    /// <summary>Sees to it that a read does not wait for the client.</summary>
    private void Await()
    {
        if ((_unread > 0 && !_isExamined) || _isClientDone || _isReaderOver)
        {
            return;
        }

        if (_unsent == 0 || Chance(3))
        {
            FinishClient();
            return;
        }

        int bytes = _random.Next(1, _unsent + 1);
        Add(StepKind.ClientSends, bytes);
        Arrive(bytes, isEnd: false);
    }

    private void FinishClient(bool hasTrailers = false)
    {
        if (!_isClientDone)
        {
            Add(hasTrailers ? StepKind.ClientSendsTrailers : StepKind.ClientEnds, _unsent);
            Arrive(_unsent, isEnd: true);
        }
    }

    private void Arrive(int bytes, bool isEnd)
    {
        _unread += bytes;
        _unsent -= bytes;
        _isClientDone |= isEnd;
        _isExamined &= bytes == 0 && !isEnd;
    }

    private void AddRead(StepKind kind, int consumed, bool isWhole)
    {
        Add(kind, consumed);
        if (isWhole)
        {
            _unread -= Math.Min(_unread, consumed);
            _isExamined = kind == StepKind.PipePeek && !_isClientDone;
        }
    }

    private void Add(StepKind kind, int number = 0, string text = "", string value = "") => _steps.Add(new Step(kind, number, text, value));

    private bool Chance(int oneIn) => _random.Next(oneIn) == 0;

    private T Pick<T>(ReadOnlySpan<T> values) => values[_random.Next(values.Length)];

    private T Pick<T>(T[] values) => values[_random.Next(values.Length)];
}
