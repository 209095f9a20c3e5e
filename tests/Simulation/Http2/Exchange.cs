using System.Globalization;
using Ioxide.Http2;

namespace Ioxide.Simulation;

/// <summary>One request and its answer: what a seed has drawn, and how far the peer is with it.</summary>
internal sealed class Exchange
{
    internal const int ResetCode = (int)Http2ErrorCode.Cancel;

    internal Exchange(Dice dice, Http2Plan plan, int number)
    {
        Number = number;
        Key = dice.Next();
        int most = plan.MostAnswerBytes;
        IsPost = dice.Chance(500);
        BodyBytes = !IsPost ? 0
            : plan.IsBulky && dice.Chance(400) ? dice.Between(70_000, 200_000)
            : dice.Of<int>([0, 1, 300, 4096, 16_384, dice.Between(0, 3000)]);
        HasTrailers = IsPost && dice.Chance(300);
        DeclaresLength = IsPost && dice.Chance(300);
        AnswerBytes = Math.Min(most, plan.IsBulky && dice.Chance(400) ? dice.Between(60_000, 150_000) : dice.Of<int>([0, 1, 100, 4096, 9000, dice.Between(0, 20_000)]));
        AnswersTrailers = dice.Chance(300);
        Handling = (Handling)dice.Below(1024) & (Handling)dice.Below(1024);
        AnswerEnd = dice.Chance(750) ? AnswerEnd.Whole : (AnswerEnd)dice.Below(4);
        ResetsAtSent = dice.Chance(100) ? dice.Of<int>([0, dice.Below(BodyBytes + 1)]) : -1;
        ResetsAtReceived = dice.Chance(100) ? dice.Below(AnswerBytes + 1) : -1;
    }

    internal int Number { get; }

    /// <summary>Of the pattern of both bodies; the answer's is the next one.</summary>
    internal ulong Key { get; }

    internal ulong AnswerKey => Key + 1;

    internal string Sum => Key.ToString("x", CultureInfo.InvariantCulture);

    internal bool IsPost { get; }

    internal int BodyBytes { get; }

    internal bool HasTrailers { get; }

    internal bool DeclaresLength { get; }

    internal int AnswerBytes { get; }

    internal bool AnswersTrailers { get; }

    internal Handling Handling { get; }

    internal AnswerEnd AnswerEnd { get; }

    /// <summary>The peer resets the stream when it has sent so much; -1 never.</summary>
    internal int ResetsAtSent { get; }

    /// <summary>The peer resets the stream when it has received so much; -1 never.</summary>
    internal int ResetsAtReceived { get; }

    /// <summary>The handler waits for the reset, which comes whatever else the peer may send.</summary>
    internal bool WaitsForReset => ResetsAtSent == 0 && Is(Handling.Watches);

    /// <summary>0 until the peer has opened it.</summary>
    internal int StreamId { get; set; }

    internal int BodySent { get; set; }

    internal bool HasSentEnd { get; set; }

    /// <summary>The peer has reset it.</summary>
    internal bool HasReset { get; set; }

    /// <summary>The server has received that reset, and the peer knows it.</summary>
    internal bool IsResetKnown { get; set; }

    /// <summary>Bytes that the peer may send.</summary>
    internal long SendWindow { get; set; }

    /// <summary>Bytes that the server may send, as far as it can know.</summary>
    internal long ReceiveWindow { get; set; }

    /// <summary>The same with the credit that is on its way.</summary>
    internal long GrantedWindow { get; set; }

    /// <summary>Received bytes for which the peer has given no credit.</summary>
    internal int Owed { get; set; }

    internal int Status { get; set; }

    internal int Received { get; set; }

    internal bool HasTrailersReceived { get; set; }

    internal bool HasEnd { get; set; }

    /// <summary>The server's reset; null without one.</summary>
    internal Http2ErrorCode? ServerReset { get; set; }

    internal int Runs { get; set; }

    /// <summary>What the handler waits for.</summary>
    internal string Stage { get; set; } = "not started";

    internal bool IsOver => HasReset || ServerReset is not null || (HasEnd && HasSentEnd);

    internal bool Is(Handling handling) => (Handling & handling) != 0;

    public override string ToString()
        => $"exchange {Number} on stream {StreamId} ({(IsPost ? "POST" : "GET")} {BodySent} of {BodyBytes}{(HasSentEnd ? ", ended" : "")}{(HasReset ? ", reset" : "")}; "
            + $"{Handling}, {AnswerEnd}; status {Status}, {Received} of {AnswerBytes}, window {ReceiveWindow}, owed {Owed}{(HasEnd ? ", end" : "")}, {ServerReset}; handler: {Stage})";
}
