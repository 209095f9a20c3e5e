using System.Text;
using System.Text.Json.Serialization;

namespace Ioxide.Pg.Tests;

/// <summary>A codec that breaks its promise fails its own command: no message with a wrong length goes out.</summary>
public partial class FickleCodecTests : OneConnectionTests
{
    [Theory, Each(1, -1)]
    public async Task AValueThatIsWrittenLongerOrShorterThanItWasMeasuredIsNotSent(int growth)
    {
        PgCodec.Register(new FickleCodec());
        PgStatement<Fickle> statement = PgStatement.Create<Fickle>("select $1::text"u8);
        Assert.Equal("four", await Db.Query(statement, new Fickle("four", 0)).ScalarAsync<string>().Within(20.Seconds()));

        var error = await Assert.ThrowsAnyAsync<InvalidOperationException>(
            () => Db.Query(statement, new Fickle("four", growth)).ScalarAsync<string>().Within(20.Seconds()));

        Assert.Contains("another length", error.Message, StringComparison.Ordinal);
        Assert.Equal("next", await Db.Query(statement, new Fickle("next", 0)).ScalarAsync<string>().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    [Theory, Each(1, 2)]
    public async Task AnObjectThatIsSerializedShorterThanItWasMeasuredIsNotSent(int longReads)
    {
        PgDataSourceOptions options = new();
        options.MapJson(FickleJson.Default.FickleObject);
        PgStatement<FickleObject> statement = PgStatement.Create<FickleObject>("select $1::text"u8);

        var error = await Assert.ThrowsAnyAsync<InvalidOperationException>(
            () => Db.Query(statement, new FickleObject("longer", "short", longReads)).ScalarAsync<string>().Within(20.Seconds()));

        Assert.Contains("another length", error.Message, StringComparison.Ordinal);
        Assert.Equal("{\"Text\": \"same\"}", await Db.Query(statement, new FickleObject("same", "same", 0)).ScalarAsync<string>().Within(20.Seconds()));
    }

    /// <summary>An object whose JSON changes once it was read so often.</summary>
    internal sealed class FickleObject(string first, string later, int firstReads)
    {
        private int _reads;

        public string Text => _reads++ < firstReads ? first : later;
    }

    [JsonSerializable(typeof(FickleObject))]
    private sealed partial class FickleJson : JsonSerializerContext;

    /// <summary>Its text grows by <paramref name="growth"/> characters when it has been measured.</summary>
    private sealed class Fickle(string text, int growth)
    {
        private bool _isMeasured;

        internal string Text => growth < 0 && _isMeasured ? text[..^-growth] : _isMeasured ? text + new string('x', growth) : text;

        internal int Measure()
        {
            int length = Text.Length;
            _isMeasured = true;
            return length;
        }
    }

    private sealed class FickleCodec : PgCodec<Fickle>
    {
        public override uint TypeId => PgTypeId.Text;

        public override int Measure(Fickle value) => value.Measure();

        public override void Write(Fickle value, Span<byte> destination) => Encoding.ASCII.GetBytes(value.Text, destination);

        public override Fickle Read(PgField field) => throw new NotSupportedException();
    }
}
